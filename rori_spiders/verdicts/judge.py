"""The judgement: one pure function from a response to a verdict.

Order (each step may decide): the final URL and vendors' headers; what the page proves of itself; strong rules; the
status; demands on the page; medium and weak rules, which count only where a page has little text of its own; its shape
(nothing, an empty application, a stub that leads elsewhere). What nobody decides is content, if it shows text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.documents.sniff import kind_of
from rori_spiders.verdicts import shapes, statuses
from rori_spiders.verdicts.evidence import Evidence, gather
from rori_spiders.verdicts.rule import names_a_topic
from rori_spiders.verdicts.rules_firewalls import FIREWALL_RULES
from rori_spiders.verdicts.rules_networks import NETWORK_RULES
from rori_spiders.verdicts.rules_pages import PAGE_RULES
from rori_spiders.verdicts.rules_servers import SERVER_RULES
from rori_spiders.verdicts.rules_vendors import VENDOR_RULES
from rori_spiders.verdicts.verdict import Fired, Known, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rori_spiders.verdicts.rule import Rule, Strength

RULES: tuple[Rule, ...] = (*VENDOR_RULES, *FIREWALL_RULES, *NETWORK_RULES, *SERVER_RULES, *PAGE_RULES)
_OUTSIDE = ("url", "header")
_ALL = re.compile(r".*", re.DOTALL)
_CONFIDENCE: dict[Strength, float] = {"strong": 0.97, "medium": 0.8, "weak": 0.6}
# A page with less than a tenth of its last good text proves nothing; between that and half, the change step holds it.
_SHRUNK = 10
# As long as ever is a proof only where that is longer than what weak rules look at.
_SIZE_PROVES = 400


def judge(*, status: int, url: str, headers: Mapping[str, str], body: bytes, known: Known | None = None) -> Verdict:
    """What is this response? Never raises, whatever the bytes are.

    ``url`` is the final one, after redirects. ``headers``: any case; several values of one name joined by commas.
    304 is answered before anyone judges.
    """
    known = known or Known()
    lines = "\n".join(f"{name}: {value}" for name, value in headers.items())
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), None)
    kind = kind_of(body, content_type)
    is_page = kind == "html" or (kind == "text" and b"<" in body)
    whole = bool(known.must_contain or known.anchors)
    evidence = gather(body, content_type, whole=whole) if is_page else Evidence()
    evidence.places |= {"url": url, "header": lines}
    if verdict := _by_rules(evidence, "strong", outside=True):
        return verdict
    plain = statuses.refusal_without_page(status, kind, body)
    if plain is not None:
        return plain
    if status < 400 and kind not in ("html", "text"):
        return _document(kind, body)
    if kind == "text" and not evidence.visible:
        return _text(status, body, known, lines)
    return _page(status, evidence, known, lines)


def _page(status: int, evidence: Evidence, known: Known, header_lines: str) -> Verdict:
    if status < 400 and known.anchors and not _absent(known.anchors, evidence):
        return Verdict("content", None, 0.98, (Fired("known-anchors", "text"),))
    if verdict := _by_rules(evidence, "strong"):
        return verdict
    if verdict := statuses.by_status(status, header_lines, _by_rules(evidence, "medium")):
        return verdict
    return _by_demands(evidence, known) or _by_hints(evidence, known)


def _by_demands(evidence: Evidence, known: Known) -> Verdict | None:
    """What was expected and is missing makes a page prove nothing; what is there vetoes every guess."""
    if missing := _missing(known, evidence):
        hint = _by_rules(evidence, "medium") or _by_rules(evidence, "weak") or shapes.by_shape(evidence)
        return hint or Verdict("unknown", None, 0.7, missing)
    if known.must_contain:
        return Verdict("content", None, 0.95, (Fired("expected-text", "text"),))
    return None


def _by_hints(evidence: Evidence, known: Known) -> Verdict:
    if verdict := _by_rules(evidence, "medium"):
        return verdict
    if _SIZE_PROVES <= (known.last_good_chars or 0) <= evidence.prose * 2:
        return Verdict("content", None, 0.9, (Fired("last-good-size", "text"),))
    if verdict := _by_rules(evidence, "weak") or shapes.by_shape(evidence):
        return verdict
    return Verdict("content", None, 0.9 if evidence.prose >= 500 else 0.6)


def _by_rules(evidence: Evidence, strength: Strength, *, outside: bool = False) -> Verdict | None:
    """The first rule of this strength that fires decides; the others that agree with it raise the confidence."""
    fired = list(_fired(evidence, strength, outside))
    if not fired:
        return None
    kind, vendor = fired[0][0].kind, fired[0][0].vendor
    agreeing = [(rule, sign) for rule, sign in fired if rule.kind == kind]
    vendor = vendor or next((rule.vendor for rule, _ in agreeing if rule.vendor), None)
    confidence = min(0.99, _CONFIDENCE[strength] + 0.05 * (len(agreeing) - 1))
    return Verdict(kind, vendor, round(confidence, 2), tuple(sign for _, sign in agreeing))


def _fired(evidence: Evidence, strength: Strength, outside: bool) -> Iterable[tuple[Rule, Fired]]:
    for rule in RULES:
        if rule.strength != strength or (strength == "strong" and (rule.place in _OUTSIDE) != outside):
            continue
        if not outside and _own_text(evidence, rule) > rule.limit:
            continue
        for line_start, line in _lines(evidence, rule):
            match = rule.regex.search(line)
            if match and rule.is_common and _is_about(evidence, rule, line, match):
                break
            if match and (rule.also is None or rule.also_regex.search(evidence.folded(rule.also[0]))):
                yield rule, Fired(rule.name, f"{rule.place}:{line_start + match.start()}")
                break


def _is_about(evidence: Evidence, rule: Rule, line: str, match: re.Match[str]) -> bool:
    """Whether the page is about what the rule looks for, instead of being it."""
    if evidence.is_elsewhere:
        return True
    if rule.place == "text":
        title = evidence.folded("title")
        return (whole := _ALL.match(title)) is not None and names_a_topic(title, whole, evidence.prose)
    return names_a_topic(line, match, evidence.prose)


def _own_text(evidence: Evidence, rule: Rule) -> int:
    return evidence.visible if rule.counts_all else evidence.prose


def _lines(evidence: Evidence, rule: Rule) -> Iterable[tuple[int, str]]:
    text = evidence.folded(rule.place)
    if rule.place != "header":
        return [(0, text)]
    offset, lines = 0, []
    for line in text.split("\n"):
        lines.append((offset, line))
        offset += len(line) + 1
    return lines


def _absent(phrases: Iterable[str], evidence: Evidence) -> list[str]:
    text = (evidence.whole or evidence.of("text")).casefold()
    return [phrase for phrase in phrases if " ".join(phrase.casefold().split()) not in text]


def _missing(known: Known, evidence: Evidence) -> tuple[Fired, ...]:
    missing = [Fired("expected-text-missing", phrase) for phrase in _absent(known.must_contain, evidence)]
    if evidence.visible < known.min_chars:
        missing.append(Fired("expected-length-missing", f"{evidence.visible} of {known.min_chars} characters"))
    if known.last_good_chars and evidence.visible * _SHRUNK < known.last_good_chars:
        missing.append(Fired("shrunk", f"{evidence.visible} characters, last time {known.last_good_chars}"))
    return tuple(missing)


def _document(kind: str, body: bytes) -> Verdict:
    if refused := statuses.refusal_in_data(kind, body):
        return refused
    if kind == "binary":  # proves nothing, and nothing of it could be read
        return Verdict("unknown", None, 0.7, (Fired("document-binary", "body:0"),))
    return Verdict("content", None, 0.9, (Fired(f"document-{kind}", "body:0"),))


def _text(status: int, body: bytes, known: Known, header_lines: str) -> Verdict:
    """Plain text proves itself by being there; a wall in it is one line under an error status."""
    evidence = Evidence(visible=len(body), prose=len(body))
    evidence.places = {"text": body[:40_000].decode("utf-8", "replace")}
    if known.must_contain or known.anchors:
        evidence.whole = " ".join(body.decode("utf-8", "replace").split())
    return _page(status, evidence, known, header_lines)
