"""The addresses that the browser may be connected to: those that the program's own resolver passes, and no other."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import CannotResolveHostError, DownloadFailedError

from rori_spiders.refusals import AddressNotPublic

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Receiver:
    """An IResolutionReceiver of Twisted's that fulfils a future."""

    def __init__(self) -> None:
        self._found: list[str] = []
        self.answer: asyncio.Future[Sequence[str]] = asyncio.get_running_loop().create_future()

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 (Twisted's name)
        """Nothing to do yet."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802 (Twisted's name)
        self._found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802 (Twisted's name)
        if not self.answer.done():
            self.answer.set_result(tuple(self._found))


async def passed_addresses(host: str, port: int) -> Sequence[str]:
    """Addresses of *host*, each judged for *port* by ``downloader/resolver.py``, which the reactor has.

    Raises AddressNotPublic, CannotResolveHostError; DownloadFailedError where the reactor's resolver judges nothing.
    """
    from twisted.internet import reactor  # only now: importing it installs one

    resolver: Any = reactor.nameResolver
    refusal = getattr(resolver, "refusal", None)
    if refusal is None:
        raise DownloadFailedError("no resolver here tells which addresses are public")
    receiver = _Receiver()
    resolver.resolveHostName(receiver, host, port)
    found = await receiver.answer
    if found:
        return found
    if (why := refusal(host, port)) is not None:
        raise AddressNotPublic(why, f"http://{f'[{host}]' if ':' in host else host}:{port}/")
    raise CannotResolveHostError(host)
