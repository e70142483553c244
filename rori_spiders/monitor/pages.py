"""The page itself: what ``vite build`` has written into ``page/``, and a sentence where it was not built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from rori_spiders.monitor.errors import Refused

if TYPE_CHECKING:
    from fastapi import FastAPI

BUILT = Path(__file__).parent / "page"
_NOT_BUILT = (
    "The monitor's page was not built. In a checkout: make page. The API answers all the same, at /api/openapi.json.\n"
)
#: Names of files in `assets/` hold a hash of what is in them.
_KEPT = "private, max-age=31536000, immutable"


class _Assets(StaticFiles):
    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]  # as they came
        response.headers["cache-control"] = _KEPT
        return response


def use_in(app: FastAPI, built: Path = BUILT) -> None:
    """Serve the page of the folder *built*: its files, and its start for each of its routes. Add it last."""
    app.mount("/assets", _Assets(directory=built / "assets", check_dir=False))

    @app.api_route("/api", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/api/{rest:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def no_api(rest: str = "") -> Response:
        raise Refused(404, "unknown_path", f"There is nothing at /api/{rest}.")

    @app.api_route("/{rest:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(rest: str) -> Response:  # the page's own router knows what it names
        start = built / "index.html"
        return FileResponse(start) if start.is_file() else PlainTextResponse(_NOT_BUILT, 503)
