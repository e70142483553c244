"""What comes from another program, signed: believed without anybody signed in. What it may do is small, and told."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from rori_spiders.announcing.signing import objection
from rori_spiders.monitor.errors import Refused

CORPUS = "/hooks/corpus"
#: Methods and paths that the gate lets through to be judged here.
DOORS = frozenset({("POST", CORPUS)})
SECRET = "RORI_CORPUS_HOOK_SECRET"  # noqa: S105  (the variable's name)


async def signed(request: Request) -> bytes:
    """The body, whose sender knows the secret. Raises Refused."""
    served = request.app.state.served
    if served.hook_secret is None:
        raise Refused(401, "not_signed_in", f"This monitor takes no web hooks: {SECRET} is not set where it runs.")
    body = await request.body()
    said = {name.lower(): value for name, value in request.headers.items()}
    why = await run_in_threadpool(objection, served.hook_secret, said, body, served.now())
    if why is not None:
        raise Refused(401, "not_signed_in", f"This web hook is not believed: {why}.")
    return body


Signed = Annotated[bytes, Depends(signed)]
