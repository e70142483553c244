"""The OpenAPI document: ``python -m rori_spiders.monitor.openapi`` prints it; the page's types are made of it."""

from __future__ import annotations

import json
import sys
from typing import Any

from fastapi import FastAPI

from rori_spiders import __version__
from rori_spiders.monitor.answers.base import Refusal
from rori_spiders.monitor.api import ROUTERS
from rori_spiders.monitor.replies import Json

PATH = "/api/openapi.json"
#: Every one of them may answer anything; `default` would leave FastAPI's own 422 in.
_REFUSALS = {
    status: {"model": Refusal, "description": said}
    for status, said in {
        400: "Not as it must be",
        401: "Nobody is signed in",
        403: "Not allowed",
        404: "Not known",
        409: "Refused, with the reason",
        413: "Too large",
        422: "Not as it must be",
        503: "The ledger or the staging area is not to be had",
    }.items()
}


def bare() -> FastAPI:
    """An app with the API's routes, and nothing behind them."""
    app = FastAPI(
        title="RORI Collector: the monitor",
        version=__version__,
        openapi_url=PATH,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        redirect_slashes=False,
        default_response_class=Json,
    )
    for router in ROUTERS:
        app.include_router(router, prefix="/api", responses=_REFUSALS)  # type: ignore[arg-type]  # int is int | str
    return app


def document() -> dict[str, Any]:
    """The document."""
    return bare().openapi()


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=2)
    sys.stdout.write("\n")
