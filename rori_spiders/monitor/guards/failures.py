"""Whatever nobody foresaw is one line in the log and one answer in the usual form, never a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.monitor.errors import Refused, answer, internal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class NoTraceback:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as error:  # it is logged, and answered
            refused = error if isinstance(error, Refused) else internal(error)
            if not begun and scope["type"] == "http":
                await answer(refused)(scope, receive, send)
