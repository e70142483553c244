"""Verify the signature of an incoming webhook."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.staging.webhook.signatures import verify_signature

CORPUS_HOOK_PATH = "/hooks/corpus"
#: Methods and paths that the gate lets through to be judged here.
SIGNED_ROUTES = frozenset({("POST", CORPUS_HOOK_PATH)})
SECRET_VARIABLE = "RORI_CORPUS_HOOK_SECRET"  # noqa: S105  (the variable's name)


async def verified_body(request: Request) -> bytes:
    """The body, whose sender knows the secret. Raises Refused."""
    served = request.app.state.served
    if served.hook_secret is None:
        raise ApiError(
            401, "not_signed_in", f"This monitor takes no web hooks: {SECRET_VARIABLE} is not set where it runs."
        )
    body = await request.body()
    said = {name.lower(): value for name, value in request.headers.items()}
    why = await run_in_threadpool(verify_signature, served.hook_secret, said, body, served.now())
    if why is not None:
        raise ApiError(401, "not_signed_in", f"This web hook is not believed: {why}.")
    return body


SignedBody = Annotated[bytes, Depends(verified_body)]
