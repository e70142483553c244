"""One pass over a response, in a worker: what it is, how much it shows, where it leads, the page that is made of it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from rori_spiders.content.charset_detection import garbled_words
from rori_spiders.content.convert import Converted, digest
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.dom_names import names
from rori_spiders.content.encoding import decode
from rori_spiders.content.html.links import Discovered
from rori_spiders.content.html.parsed_page import ParsedPage
from rori_spiders.content.html.visible_text import Measured, measure_tree, shown_words, shown_words_of_tree
from rori_spiders.content.options import Options
from rori_spiders.exceptions import ConversionError
from rori_spiders.verdicts import FiredRule, PageExpectation, Verdict, judge
from rori_spiders.workers.worker import is_memory_error

#: What stands by a field for the name by which somebody signs in.
_NAME_LABEL = re.compile(
    r"\W*(?:your |enter (?:your )?)?(?:user ?name|user ?id|log[io]n(?: id| name)?|e-?mail(?: address)?"
    r"|(?:user ?name or e-?mail|e-?mail or user ?name)(?: address)?)\W*",
    re.IGNORECASE,
)
#: What such fields are called, where the password is asked for behind them.
_SIGN_IN_NAMES = " username user_name userid user_id loginfmt identifier login j_username "
#: Where a visitor sees no field: in a menu, or in a dialog that is opened later.
_LAYERS = names("nav header footer aside dialog")
_WORDS = re.compile(r"\w+")
_MISSING = (
    r"\b404\b|\bnot\b|\bno\b|n['’]t\b|\bcannot\b|\bunknown\b|\binvalid\b|\bmissing\b|\bunable\b"
    r"|\bnothing\b|\bnobody\b|\bnowhere\b"
)
_SAYS_MISSING = re.compile(rf"{_MISSING}|\boops\b", re.IGNORECASE)
#: What is said of a page that has not come, in other words perhaps than of an address that nobody has.
_SAYS_LATER = re.compile(
    r"\b(?:loading|wait|moment|reload|refresh|retry|wrong|errors?|oops|sorry|apologi[sz]e|unavailable|maintenance"
    r"|javascript|browser|server|session|timeout)\b|\.{3}|…",
    re.IGNORECASE,
)
#: The same, which records say as well: it counts in a few words, and where readers are told what to do.
_MAY_SAY_LATER = re.compile(
    rf"{_MISSING}|\b(?:again|later|fail\w*|could|did|denied|forbidden|sign|log|login|expired|timed?|requests?|access"
    r"|connection|limited)\b",
    re.IGNORECASE,
)
_TELLS_READERS = re.compile(r"\b(?:you|your|we|us|our|please|check|call|contact|try|press)\b", re.IGNORECASE)
_FEW_WORDS = 10
#: Fewest words that a record has for itself, a figure among them: fewer may be the number of an error.
_RECORD_WORDS = 3
#: A time of day, or the number of an error: they differ between two looks at the same address.
_PASSING = re.compile(
    r"\W*(?:\d{1,2}:\d{2}(?::\d{2})?|(?=[a-f-]{0,40}\d)(?=[\d-]{0,40}[a-f])[\da-f]{8}[\da-f-]{0,32})\W*", re.IGNORECASE
)
#: The rule of a short page that shows more than its application shows where it has no page.
MORE_THAN_UNKNOWN = "more-than-unknown-address"
#: The rule of a page that shows what its application shows where it has no page.
SAME_AS_UNKNOWN = "same-as-unknown-address"
#: The rule of a page whose text a script draws as a picture.
DRAWN = "drawn-on-canvas"
#: What a page may be taken for of which only the prompt is shown.
_BEHIND_PROMPT = frozenset({"content", "js_shell", "empty", "redirect_stub", "unknown"})


class UnknownAddress(NamedTuple):
    """What an application of one page shows at *url*, an address that nobody has; None: it answers it as missing."""

    url: str
    words: Counter[str] | None

    def is_shown_by(self, shown: Counter[str], url: str) -> bool:
        """Whether the page at *url* shows the same words.

        Those aside that stand in the addresses themselves, times of day and the numbers of errors.
        """
        own = self._words_of_addresses(url)
        return _without(shown, own) == _without(self.words or Counter(), own)

    def is_exceeded_by(self, shown: Counter[str], url: str) -> bool:
        """Whether the page at *url* shows a record that this address has not, and nothing of a page to come."""
        own = self._words_of_addresses(url)
        more = _without(shown, own) - _without(self.words or Counter(), own)
        text = " ".join(more)
        is_told = more.total() < _FEW_WORDS or _TELLS_READERS.search(text) is not None
        says_other = _SAYS_LATER.search(text) or (is_told and _MAY_SAY_LATER.search(text))
        return more.total() >= _RECORD_WORDS and any(map(str.isdigit, text)) and not says_other

    def _words_of_addresses(self, url: str) -> frozenset[str]:
        return frozenset(_WORDS.findall(unquote(f"{urlsplit(self.url).path} {url.partition('//')[2]}").casefold()))


def _without(shown: Counter[str], left_out: frozenset[str]) -> Counter[str]:
    others: Counter[str] = Counter()
    for word, count in shown.items():
        parts = _WORDS.findall(word.casefold())
        if not parts or not (left_out.issuperset(parts) or _PASSING.fullmatch(word)):
            others[word] += count
    return others


class RenderDiff(NamedTuple):
    """Words that a page rendered shows and plain HTTP did not, and the other way round."""

    added: int
    vanished: int
    of: int  # the words that plain HTTP showed
    garbled: tuple[str, ...] = ()  # words that plain HTTP showed and the rendered page has in a wrong charset
    charset: str = ""  # of the plain page


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
    is_behind_prompt: bool = False,
    is_drawn: bool = False,
    unknown: UnknownAddress | None = None,
) -> ResponseAssessment:
    """Judge one response. With *is_measured* measure it and compare it with *plain*, body and type; with *options*
    convert it. What is not content is only judged; what is HTML is parsed once for all of that. *is_behind_prompt*: the
    browser saw a prompt for consent, and no page. *is_drawn*: it saw a canvas, and hardly any text. *unknown*: what its
    application shows where it has no page.
    """
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), None)
    # What is only judged needs no more of a tree than judging does.
    is_read = (is_measured or options) and kind_of(body, content_type) == "html"
    parsed = ParsedPage(body, url, content_type) if is_read else None
    verdict = judge(status=status, url=url, headers=headers, body=body, known=known, parsed=parsed)
    known = known or PageExpectation()
    verdict = _as_seen(verdict, is_behind_prompt=is_behind_prompt, is_drawn=is_drawn)
    if unknown is not None and unknown.words and not verdict.is_proved and verdict.kind in {"content", "js_shell"}:
        shown = shown_words_of_tree(parsed.root) if parsed is not None else shown_words(body, content_type)
        # A few words may as well say "Loading ..." at every address.
        says_so = verdict.is_content or _SAYS_MISSING.search(" ".join(shown))
        if says_so and unknown.is_shown_by(shown, url):
            verdict = Verdict("soft_404", None, 0.9, (FiredRule(SAME_AS_UNKNOWN, "text"),))
        elif not verdict.is_content and unknown.is_exceeded_by(shown, url):
            verdict = Verdict("content", None, 0.6, (FiredRule(MORE_THAN_UNKNOWN, "text"),))
    if not verdict.is_content or not (is_measured or options):
        return ResponseAssessment(verdict)
    if parsed is None:
        return ResponseAssessment(verdict, converted=_convert_page(body, url, content_type, options, None))
    try:
        fields = list(parsed.root.iter("input"))
    except ConversionError as error:
        unread = Measured() if is_measured else None
        return ResponseAssessment(verdict, unread, links=Discovered(()), converted=error if options else None)
    has_form, asks_name = any(map(_asks_password, fields)), any(map(_asks_name, fields))
    measured = measure_tree(parsed.root) if is_measured else None
    differs = _diff_words(shown_words_of_tree(parsed.root), *plain) if is_measured and plain else None
    links = parsed.complete_links()
    converted = _convert_page(body, url, content_type, options, parsed)
    if spoken := _verdict_from_words(verdict, converted, known, has_form=has_form, asks_name=asks_name):
        if not spoken.is_content:
            return ResponseAssessment(spoken)
        verdict = spoken
    return ResponseAssessment(verdict, measured, differs, links, converted)


def _as_seen(verdict: Verdict, *, is_behind_prompt: bool, is_drawn: bool) -> Verdict:
    """*verdict*, or what the page is where hardly any of its text can be seen."""
    if is_behind_prompt and verdict.kind in _BEHIND_PROMPT:
        return Verdict("consent_wall", None, 0.9, (FiredRule("only-behind-consent", "element"), *verdict.rules))
    if is_drawn and verdict.is_content and not verdict.is_proved:
        return Verdict("empty", DRAWN, 0.8, (FiredRule(DRAWN, "element"),))
    return verdict


def _asks_password(field: HtmlElement) -> bool:
    """Whether *field* is for a password, and seen."""
    return (field.get("type") or "").lower() == "password" and _is_seen(field)


def _asks_name(field: HtmlElement) -> bool:
    """Whether *field*, of a form, is for a name or an address by which somebody signs in, and seen."""
    is_name = (
        field.get("type") == "email"
        or field.get("autocomplete") == "username"
        or f" {field.get('name', '')} " in _SIGN_IN_NAMES
        or (field.get("type", "text") == "text" and any(map(_NAME_LABEL.fullmatch, _labels(field))))
    )
    return is_name and next(field.iterancestors("form"), None) is not None and _is_seen(field)


def _labels(field: HtmlElement) -> Iterator[str]:
    """What stands in a field, by it, or around it as its label."""
    yield from (field.get(name, "") for name in ("aria-label", "placeholder"))
    around = next(field.iterancestors("label"), None)
    before = field.getprevious()
    for label in (around, before if before is not None and before.tag == "label" else None):
        if label is not None:
            yield label.text_content()


def _is_seen(field: HtmlElement) -> bool:
    return not any(
        above.tag in _LAYERS or above.get("role") == "dialog" or above.get("hidden") is not None
        for above in field.iterancestors()
    )


def _verdict_from_words(
    verdict: Verdict,
    converted: Converted | ConversionError | None,
    known: PageExpectation,
    *,
    has_form: bool,
    asks_name: bool,
) -> Verdict | None:
    """What the converted page says it is, unless it has proved to be content."""
    if converted is None or isinstance(converted, ConversionError) or verdict.is_proved:
        return None
    # As in `page_evidence`: the crawl, which takes names from here, needs none of its expressions.
    from rori_spiders.verdicts.wall_language import read_main_text, verdict_from_language

    main = read_main_text(converted.markdown, converted.title)
    spoken = verdict_from_language(main, has_form=has_form, asks_name=asks_name, last_good_chars=known.last_good_chars)
    if spoken is not None and spoken.is_doubtful and known.last_good_chars is None:
        return Verdict("unknown", None, spoken.confidence, spoken.rules)  # nothing is held that a person could keep
    return spoken


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


def _diff_words(rendered: Counter[str], body: bytes, content_type: str | None) -> RenderDiff:
    plain, charset = shown_words(body, content_type), decode(body, content_type).encoding
    added, vanished = rendered - plain, plain - rendered
    garbled = tuple(garbled_words(added, plain, charset)) if vanished else ()
    return RenderDiff(added.total(), vanished.total(), plain.total(), garbled, charset)
