"""The routers, and the OpenAPI document: `python -m rori_spiders.monitor.application.openapi` prints it; the page's
types are generated from it.
"""

import json
import sys
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from rori_spiders import __version__
from rori_spiders.monitor.accounts import api as accounts_api
from rori_spiders.monitor.accounts import own_api
from rori_spiders.monitor.changes import api as changes_api
from rori_spiders.monitor.control import activity, evidence, fleet
from rori_spiders.monitor.control import api as control_api
from rori_spiders.monitor.corpus import api as corpus_api
from rori_spiders.monitor.corpus import page_api, publishing_api, review_api
from rori_spiders.monitor.failures import api as failures_api
from rori_spiders.monitor.manifests import api as manifests_api
from rori_spiders.monitor.pages import api as pages_api
from rori_spiders.monitor.pages import search_api
from rori_spiders.monitor.rest.errors import SafeJsonResponse
from rori_spiders.monitor.rest.schemas import ErrorResponse
from rori_spiders.monitor.runs import api as runs_api
from rori_spiders.monitor.sources import api as sources_api

ROUTERS = (
    accounts_api.router,
    own_api.router,
    sources_api.sources_router,
    sources_api.source_router,
    sources_api.alerts_router,
    activity.router,
    changes_api.router,
    failures_api.errors_router,
    runs_api.router,
    pages_api.router,
    pages_api.versions_router,
    search_api.router,
    failures_api.router,
    control_api.jobs_router,
    control_api.router,
    fleet.router,
    evidence.router,
    manifests_api.router,
    corpus_api.router,
    page_api.router,
    review_api.router,
    publishing_api.router,
)


#: The version is raised by what breaks a client; what only adds stays in it.
API_PREFIX = "/api/v1"
OPENAPI_PATH = f"{API_PREFIX}/openapi.json"
#: Error responses of every endpoint, listed one by one: `default` would keep FastAPI's own 422.
_ERROR_RESPONSES = {
    status: {"model": ErrorResponse, "description": description}
    for status, description in {
        400: "Invalid request",
        401: "Not signed in",
        403: "Not allowed",
        404: "Not known",
        405: "Not a method of this path; Allow names them",
        409: "Refused; the response gives the reason",
        413: "Too large",
        422: "Invalid request",
        429: "Too many requests; Retry-After says when to go on",
        503: "The ledger or the staging area is unavailable",
    }.items()
}


@cache
def _api_routes() -> list[BaseRoute]:
    """The API's routes, once a process: FastAPI takes a seventh of a second to work out what each of them needs."""
    together = APIRouter(default_response_class=SafeJsonResponse)
    for router in ROUTERS:
        together.include_router(router, prefix=API_PREFIX, responses=_ERROR_RESPONSES)  # type: ignore[arg-type]  # int is int | str
    return together.routes


def list_methods(path: str) -> frozenset[str]:
    """Return the methods that the document declares for *path*; none for a path that it does not have."""
    below = path.removeprefix(API_PREFIX)
    routes = (route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute))
    return frozenset(
        method for route in routes if below != path and route.path_regex.match(below) for method in route.methods or ()
    )


def create_api() -> FastAPI:
    """Create an app with the API's routes, without any state."""
    return FastAPI(
        title="RORI Collector: the monitor",
        version=__version__,
        openapi_url=OPENAPI_PATH,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        redirect_slashes=False,
        default_response_class=SafeJsonResponse,
        routes=_api_routes(),
    )


def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return create_api().openapi()


if __name__ == "__main__":
    json.dump(openapi_document(), sys.stdout, indent=2)
    sys.stdout.write("\n")
