"""What the browser brought: the head of a page's document, and a body."""

from __future__ import annotations

from dataclasses import dataclass

_RENDERED = frozenset({"text/html", "application/xhtml+xml"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BODILESS = frozenset({204, 205, 304})
#: They describe the bytes that came over the wire, not those that are handed on.
_OF_TRANSFER = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection", "proxy-connection"})
UTF8_HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of the document, as its server sent them."""

    status: int
    headers: list[tuple[str, str]]

    def first(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def is_redirect(self) -> bool:
        return self.status in _REDIRECTS and bool(self.first("location"))

    @property
    def has_body(self) -> bool:
        return self.status not in _BODILESS and not self.is_redirect

    @property
    def is_page(self) -> bool:
        """Whether it is for rendering: HTML that is to be shown, not saved."""
        kind = self.first("content-type").partition(";")[0].strip().lower()
        is_shown = not self.first("content-disposition").strip().lower().startswith("attachment")
        return self.has_body and is_shown and kind in _RENDERED

    def as_handed_on(self, *, rendered: bool) -> dict[str, list[str]]:
        """The headers for a response: without those of the transfer; what was rendered is in UTF-8."""
        kept: dict[str, list[str]] = {}
        for name, value in self.headers:
            if name.lower() not in _OF_TRANSFER and not (rendered and name.lower() == "content-type"):
                kept.setdefault(name, []).extend(value.split("\n"))  # as CDP joins those of one name
        return {**kept, "Content-Type": [UTF8_HTML]} if rendered else kept


@dataclass(frozen=True, slots=True)
class Answer:
    """What ``fetch`` makes a response of. *url* is the page's, at its end."""

    head: Head
    body: bytes
    url: str
    is_rendered: bool = False
