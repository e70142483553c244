"""Verify the signature of an incoming webhook."""

from typing import Annotated

from fastapi import Depends, Request
from standardwebhooks import Webhook, WebhookVerificationError
from starlette.concurrency import run_in_threadpool

from rori_spiders.monitor.rest.errors import ApiError

CORPUS_HOOK_PATH = "/hooks/corpus"
#: Methods and paths that access control passes on, because they are signed.
SIGNED_ROUTES = frozenset({("POST", CORPUS_HOOK_PATH)})
SECRET_VARIABLE = "RORI_CORPUS_HOOK_SECRET"  # noqa: S105  (the variable's name)


async def verified_body(request: Request) -> bytes:
    """Return the body after verifying its signature. Raises ApiError."""
    served = request.app.state.served
    if served.hook_secret is None:
        raise ApiError(
            401,
            "not_signed_in",
            f"This monitor does not accept webhooks: {SECRET_VARIABLE} is not set in its environment.",
        )
    body = await request.body()
    verify = Webhook(served.hook_secret).verify
    try:
        await run_in_threadpool(verify, body, dict(request.headers), json_parse=False)
    except WebhookVerificationError as error:
        raise ApiError(401, "not_signed_in", f"Invalid webhook signature: {error}.") from None
    except ValueError:  # headers or a body that are not text
        raise ApiError(401, "not_signed_in", "Invalid webhook signature.") from None
    return body


SignedBody = Annotated[bytes, Depends(verified_body)]
