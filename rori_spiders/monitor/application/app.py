"""The monitor as one ASGI application, with the built page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from rori_spiders.monitor.accounts import login_page
from rori_spiders.monitor.application import openapi
from rori_spiders.monitor.changes import feed
from rori_spiders.monitor.control import activity
from rori_spiders.monitor.corpus import webhook
from rori_spiders.monitor.rest import errors
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.security.access_control import AccessControlMiddleware
from rori_spiders.monitor.security.middleware import (
    BodyLimitMiddleware,
    SecurityHeadersMiddleware,
    UnhandledErrorMiddleware,
)
from rori_spiders.monitor.security.sign_in import SignIn
from rori_spiders.monitor.state.refreshing_cache import InvalidateOnWriteMiddleware

if TYPE_CHECKING:
    from fastapi import FastAPI

    from rori_spiders.monitor.control.job_runner import JobRunner
    from rori_spiders.monitor.corpus.workers import CorpusWorkers
    from rori_spiders.monitor.state.dependencies import AppState


PAGE_DIR = Path(__file__).parents[1] / "page"
_NOT_BUILT = (
    "The monitor's page is not built. In a checkout, run `make page`. The API is available; see /api/v1/openapi.json.\n"
)
#: File names in `assets/` contain a hash of their content.
_ASSET_CACHE_CONTROL = "private, max-age=31536000, immutable"
_ANY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class _Assets(StaticFiles):
    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]  # as they came
        response.headers["cache-control"] = _ASSET_CACHE_CONTROL
        return response


def mount_page(app: FastAPI, built: Path = PAGE_DIR) -> None:
    """Serve the page from the folder *built*: its files, and index.html for each of its routes. Mount it last."""
    app.mount("/assets", _Assets(directory=built / "assets", check_dir=False))

    @app.api_route("/api", methods=_ANY_METHOD, include_in_schema=False)
    @app.api_route("/api/{rest:path}", methods=_ANY_METHOD, include_in_schema=False)
    def no_api(rest: str = "") -> Response:
        raise ApiError(404, "unknown_path", f"Not found: /api/{rest}.")

    @app.api_route("/{rest:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(rest: str) -> Response:  # the router of the page handles the path
        start = built / "index.html"
        return FileResponse(start) if start.is_file() else PlainTextResponse(_NOT_BUILT, 503)


# The monitor as one ASGI application.


def create_app(
    served: AppState,
    runner: JobRunner | None = None,
    corpus_workers: CorpusWorkers | None = None,
    *,
    page: Path = PAGE_DIR,
) -> FastAPI:
    """Create the application for the state *served*, with the page built into the folder *page*.

    *runner* starts the jobs that people queue; None: nodes take them. *corpus_workers* starts the processes that work
    on runs of the corpus; None: people type `scrapy corpus run`.
    """
    app = openapi.create_api()
    app.state.served = served
    app.state.following = activity.create_stream(served)
    app.state.runner = runner
    app.state.corpus_workers = corpus_workers
    app.state.sign_in = SignIn(served)
    app.include_router(login_page.router)
    app.include_router(webhook.router)
    app.include_router(feed.router)
    errors.register_error_handlers(app)
    mount_page(app, page)
    # Middleware added last runs first.
    app.add_middleware(InvalidateOnWriteMiddleware, cache=served.overview)
    app.add_middleware(AccessControlMiddleware, served=served, list_methods=openapi.list_methods)
    app.add_middleware(BodyLimitMiddleware)
    app.add_middleware(UnhandledErrorMiddleware)
    app.add_middleware(SecurityHeadersMiddleware)
    return app
