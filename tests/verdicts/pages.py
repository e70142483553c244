"""Pages made for the tests: a sign in its place, alone or in the middle of a long good page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.verdicts.rule import Place

SENTENCE = "The lender shall deliver the loan estimate not later than the third business day after the application. "
# Above the largest limit of any rule (8,000 characters).
LONG = f"<p>{SENTENCE * 100}</p>"


def sign(place: Place, text: str) -> tuple[str, str]:
    """The sign's markup for the head and for the body."""
    if place == "title":
        return f"<title>{text}</title>", ""
    if place == "script":
        return f"<script>{text}</script>", ""
    markup = {
        "heading": f"<h1>{text}</h1>",
        "text": f"<p>{text}</p>",
        "noscript": f"<noscript>{text}</noscript>",
        "source": f'<script src="{text}"></script>',
        "element": text,
    }
    return "", markup[place]


def page(*signs: tuple[Place, str], body: str = "") -> bytes:
    """A page that shows these signs, and ``body`` behind them."""
    parts = [sign(place, text) for place, text in signs]
    head, shown = "".join(part[0] for part in parts), "".join(part[1] for part in parts)
    return f"<!DOCTYPE html><html><head>{head}</head><body>{shown}{body}</body></html>".encode()
