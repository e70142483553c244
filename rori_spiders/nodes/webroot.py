"""Scrapyd's web pages (its setting ``webroot``): those that ask the queue are rendered in threads.

The reactor, which starts the jobs and takes their output, never waits for the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapyd.website import Root as ScrapydRoot
from twisted.internet.threads import deferToThread
from twisted.web.http import SERVICE_UNAVAILABLE
from twisted.web.resource import IResource, Resource
from twisted.web.server import NOT_DONE_YET
from zope.interface import implementer

from rori_spiders.exceptions import LedgerError

if TYPE_CHECKING:
    from twisted.python.failure import Failure
    from twisted.web.server import Request

#: What asks the queue, of Scrapyd's own.
ASKING = (b"schedule.json", b"cancel.json", b"status.json", b"listjobs.json", b"daemonstatus.json", b"jobs")


class Root(ScrapydRoot):  # type: ignore[misc]  # which has no types
    """Scrapyd's own, with those pages replaced."""

    def __init__(self, config: Any, app: Any) -> None:
        super().__init__(config, app)
        for name in ASKING:
            if (page := self.children.get(name)) is not None:
                self.putChild(name, InThread(page))


@implementer(IResource)
class InThread(Resource):
    """A page whose answer is made in a thread."""

    isLeaf = True

    def __init__(self, page: Resource) -> None:
        super().__init__()
        self._page = page

    def render(self, request: Request) -> int:
        gone: list[Failure] = []  # the client went away: there is nobody to answer any more
        request.notifyFinish().addErrback(gone.append)

        def answer(body: bytes) -> None:
            if not gone:
                request.write(body)
                request.finish()

        def failed(failure: Failure) -> None:
            if not gone and failure.check(LedgerError):
                request.setResponseCode(SERVICE_UNAVAILABLE)
                request.setHeader(b"Content-Type", b"text/plain; charset=utf-8")
                answer(f"{failure.getErrorMessage()}\n".encode())
            elif not gone:
                request.processingFailed(failure)

        deferToThread(self._page.render, request).addCallbacks(answer, failed)
        return NOT_DONE_YET
