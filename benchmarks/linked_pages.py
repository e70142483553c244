"""The site of several measurements: pages of which each links to the next ones, with validators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.pages import page

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.server import Site

_LINKS = 20  # a page


def serve(site: Site, pages: int, text: Callable[[int], str]) -> list[str]:
    """Serve them, each with its *text*, and a start page that leads to all; gives their URLs."""
    paths = [f"/page/{number}" for number in range(pages)]
    for at, path in enumerate(paths):
        site.page(path, page(f"Page {at}", *paths[at + 1 : at + _LINKS], text=text(at)), validators=True)
    site.page("/", page("Start", *paths[::_LINKS]), validators=True)
    return [site.at(path) for path in paths]
