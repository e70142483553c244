"""The monitor as one ASGI application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.monitor import errors, hooks, login, openapi, pages
from rori_spiders.monitor.api import activity
from rori_spiders.monitor.guards.bodies import BodyLimit
from rori_spiders.monitor.guards.failures import NoTraceback
from rori_spiders.monitor.guards.gate import Gate
from rori_spiders.monitor.guards.headers import SafeHeaders
from rori_spiders.monitor.guards.signing_in import SignIn
from rori_spiders.monitor.kept import Dropping

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi import FastAPI

    from rori_spiders.monitor.corpus_working import CorpusWorkers
    from rori_spiders.monitor.running import Runner
    from rori_spiders.monitor.served import Served


def create_app(
    served: Served,
    runner: Runner | None = None,
    corpus_workers: CorpusWorkers | None = None,
    *,
    page: Path = pages.BUILT,
) -> FastAPI:
    """The application over what is *served*, with the page that was built into the folder *page*.

    *runner* starts the jobs that people queue; None: nodes take them. *corpus_workers* starts the processes that work
    on runs of the corpus; None: people type `scrapy corpus run`.
    """
    app = openapi.bare()
    app.state.served = served
    app.state.following = activity.following(served)
    app.state.runner = runner
    app.state.corpus_workers = corpus_workers
    app.state.sign_in = SignIn(served)
    app.include_router(login.router)
    app.include_router(hooks.router)
    errors.use_in(app)
    pages.use_in(app, page)
    # The last one added is the first that a request meets.
    app.add_middleware(Dropping, kept=served.overview)
    app.add_middleware(Gate, served=served)
    app.add_middleware(BodyLimit)
    app.add_middleware(NoTraceback)
    app.add_middleware(SafeHeaders)
    return app
