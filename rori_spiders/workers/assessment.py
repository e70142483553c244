"""One pass over a response, in a worker: what it is, how much it shows, where it leads, the page that is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.convert import digest
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.html.links import Discovered
from rori_spiders.content.html.parsed_page import ParsedPage
from rori_spiders.content.html.visible_text import Measured, measure_tree, shown_words, shown_words_of_tree
from rori_spiders.exceptions import ConversionError
from rori_spiders.verdicts import judge
from rori_spiders.workers.worker import is_memory_error

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from rori_spiders.content.convert import Converted, Options
    from rori_spiders.verdicts import PageExpectation, Verdict


class RenderDiff(NamedTuple):
    """Words that a page rendered shows and plain HTTP did not, and the other way round."""

    added: int
    vanished: int
    of: int  # the words that plain HTTP showed


class ResponseAssessment(NamedTuple):
    """A response, judged; where it has content, measured and compared with the same page plain; its links, if HTML;
    and the page made of it, or why none could be made.
    """

    verdict: Verdict
    measured: Measured | None = None
    differs: RenderDiff | None = None
    links: Discovered | None = None
    converted: Converted | ConversionError | None = None


def assess_response(
    *,
    status: int,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    known: PageExpectation | None,
    is_measured: bool,
    plain: tuple[bytes, str | None] | None = None,
    options: Options | None = None,
) -> ResponseAssessment:
    """Judge one response. With *is_measured* measure it and compare it with *plain*, body and type; with *options*
    convert it. What is no content is only judged; what is HTML is parsed once.
    """
    verdict = judge(status=status, url=url, headers=headers, body=body, known=known)
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), None)
    if not verdict.is_content or not (is_measured or options):
        return ResponseAssessment(verdict)
    if kind_of(body, content_type) != "html":
        return ResponseAssessment(verdict, converted=_convert_page(body, url, content_type, options, None))
    try:
        parsed = ParsedPage(body, url, content_type)
    except ConversionError as error:
        unread = Measured(is_readable=False) if is_measured else None
        return ResponseAssessment(verdict, unread, links=Discovered(()), converted=error if options else None)
    return ResponseAssessment(
        verdict,
        measure_tree(parsed.root) if is_measured else None,
        _diff_words(shown_words_of_tree(parsed.root), shown_words(*plain)) if is_measured and plain else None,
        parsed.complete_links(),
        _convert_page(body, url, content_type, options, parsed),
    )


def _convert_page(
    body: bytes, url: str, content_type: str | None, options: Options | None, parsed: ParsedPage | None
) -> Converted | ConversionError | None:
    if options is None:
        return None
    try:
        return digest(body, url=url, content_type=content_type, options=options, parsed=parsed)
    except ConversionError as error:
        if is_memory_error(error):
            raise
        return error


def _diff_words(rendered: Counter[str], plain: Counter[str]) -> RenderDiff:
    return RenderDiff((rendered - plain).total(), (plain - rendered).total(), plain.total())
