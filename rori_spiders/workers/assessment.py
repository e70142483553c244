"""One pass over a response, in a worker: what it is, how much it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.html.visible_text import Measured, measure, shown_words
from rori_spiders.verdicts import judge

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from rori_spiders.verdicts import PageExpectation, Verdict


class RenderDiff(NamedTuple):
    """Words that a page rendered shows and plain HTTP did not, and the other way round."""

    added: int
    vanished: int
    of: int  # the words that plain HTTP showed


class ResponseAssessment(NamedTuple):
    """A response, judged; and measured, where it is HTML with content; and compared with the same page plain."""

    verdict: Verdict
    measured: Measured | None = None
    differs: RenderDiff | None = None


def assess_response(
    *,
    status: int,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    known: PageExpectation | None,
    is_measured: bool,
    plain: tuple[bytes, str | None] | None = None,
) -> ResponseAssessment:
    """Judge, and with *is_measured* measure, one response; compare it with *plain*, body and type. For the pool."""
    verdict = judge(status=status, url=url, headers=headers, body=body, known=known)
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), None)
    if not is_measured or not verdict.is_content or kind_of(body, content_type) != "html":
        return ResponseAssessment(verdict)
    differs = None if plain is None else _diff_words(shown_words(body, content_type), shown_words(*plain))
    return ResponseAssessment(verdict, measure(body, content_type), differs)


def _diff_words(rendered: Counter[str], plain: Counter[str]) -> RenderDiff:
    return RenderDiff((rendered - plain).total(), (plain - rendered).total(), plain.total())
