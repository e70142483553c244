"""Whether a document is no page at all: an error, a wall, a shell (by the rules of `verdicts`), or a form to fill in.

Its response was judged when it came; this is for what a site's furniture hid then, or what was put there since.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from rori_spiders.corpus.auditing.finding import Finding, found
from rori_spiders.verdicts.judge import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.corpus.auditing.reading import Line, Reading

#: Verdicts of less confidence come from hints, which need a response's status and scripts to mean something.
_CONFIDENCE = 0.8
#: Several rules, or a strong one. One alone may be about a text on pages that are not found.
_SURE = 0.85
_TYPE = "text/html; charset=utf-8"
#: Longer texts are no forms, whatever stands in them.
_FORM_CHARS = 2000
_FEWEST_LABELS = 5
_LABEL = re.compile(
    r"(?:your |full |first |last |middle |business |company |street |mailing |home |work |cell |date of )*"
    r"(?:name|initial|e-?mail(?: address)?|phone(?: number)?|telephone|fax|address(?: line \d)?|city|state"
    r"|zip(?: code)?|postal code|country|county|title|subject|message|comments?|questions?|birth|date|password"
    r"|user ?name|company|organi[sz]ation|captcha|signature|amount|submit|reset|cancel|next|clear form|send"
    r"|sign up|subscribe|required fields?|choose file|select(?: one)?|please select|yes|no|other)"
    r"\s*(?:\((?:required|optional)\)|required|\*)?\s*[:*?]*",
    re.IGNORECASE,
)
_MARK = re.compile(r"^(?:[-*+] |\d+[.)] |\[[ xX]?\] |\\\* ?)+")


def refused(title: str | None, reading: Reading) -> Iterator[Finding]:
    """What says that this is no page."""
    verdict = judge(status=200, url="", headers={"content-type": _TYPE}, body=_html(title, reading))
    if not verdict.is_content and verdict.kind != "unknown" and verdict.confidence >= _CONFIDENCE:
        rules = ", ".join(fired.rule for fired in verdict.rules)
        said = f"it reads like a page of the kind {verdict.kind} (by {rules})"
        yield found("error_page", "", said, "blocks" if verdict.confidence >= _SURE else "review")
    lines = [words for line in reading.lines if line.kind in ("text", "row") and (words := line.words)]
    labels = [words for words in lines if _LABEL.fullmatch(_MARK.sub("", words))]
    if len(labels) >= max(_FEWEST_LABELS, len(lines) / 2) and sum(map(len, lines)) < _FORM_CHARS:
        yield found("form_page", "", f"{len(labels)} of {len(lines)} lines are labels of a form, such as {labels[0]!r}")


def _html(title: str | None, reading: Reading) -> bytes:
    """The document as a page, as far as rules look at one."""
    body = "".join(map(_element, reading.lines))
    return f"<!doctype html><title>{escape(title or '')}</title><body>{body}</body>".encode()


_LINK = re.compile(r"(?<!!)\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")


def _element(line: Line) -> str:
    if line.kind == "heading":
        return f"<h{line.level}>{escape(line.words)}</h{line.level}>"
    pieces = _LINK.split(line.text)  # outside of links, inside of one, outside, ...
    said = (f"<a href='#'>{escape(piece)}</a>" if at % 2 else escape(piece) for at, piece in enumerate(pieces))
    return f"<p>{''.join(said)}</p>\n" if line.text.strip() else ""
