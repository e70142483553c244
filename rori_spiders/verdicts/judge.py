"""The judgement: one pure function from a response to a verdict.

Order (each step may decide): the final URL and vendors' headers; what the page proves of itself; strong rules; the
status; demands on the page; medium and weak rules, which count only where a page has little text of its own; its shape
(nothing, an empty application, a stub that leads elsewhere). What nobody decides is content, if it shows text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.runtime.plugins import VerdictRules, active_plugins, find_converter
from rori_spiders.verdicts import page_shapes
from rori_spiders.verdicts.block_rules import FIREWALL_RULES, NETWORK_RULES, VENDOR_RULES
from rori_spiders.verdicts.error_page_rules import PAGE_RULES, SERVER_RULES
from rori_spiders.verdicts.page_evidence import Evidence, gather_evidence
from rori_spiders.verdicts.rule import Rule, Strength, names_a_topic
from rori_spiders.verdicts.verdict import FiredRule, Kind, PageExpectation, Verdict

if TYPE_CHECKING:
    from rori_spiders.content.html.parsed_page import ParsedPage

RULES: tuple[Rule, ...] = (*VENDOR_RULES, *FIREWALL_RULES, *NETWORK_RULES, *SERVER_RULES, *PAGE_RULES)
_OUTSIDE = ("url", "header")
# Sites that are for sale or closed show legal terms, too.
_OF_SITES: frozenset[Kind] = frozenset({"parked", "maintenance"})


@cache
def _all_rules() -> tuple[Rule, ...]:
    """The collector's rules, then those of plug-ins, whose names say so."""
    added = [(one.name, rule) for one, plugin in active_plugins(VerdictRules) for rule in plugin.rules]
    return (*RULES, *(replace(rule, name=f"{name}/{rule.name}") for name, rule in added))


@cache
def _rules_by_strength() -> dict[tuple[Strength, bool], tuple[Rule, ...]]:
    """Of strong rules those of a response's outside are asked first, apart from those of its page."""
    rules = _all_rules()
    return {
        ("strong", True): tuple(rule for rule in rules if rule.strength == "strong" and rule.place in _OUTSIDE),
        ("strong", False): tuple(rule for rule in rules if rule.strength == "strong" and rule.place not in _OUTSIDE),
        ("medium", False): tuple(rule for rule in rules if rule.strength == "medium"),
        ("weak", False): tuple(rule for rule in rules if rule.strength == "weak"),
    }


@cache
def _enough_prose() -> int:
    """With more prose no rule counts, nor any shape: the places of such a page are not looked at."""
    return max(page_shapes.MOST_PROSE, *(rule.limit for rule in _all_rules()))


_ALL = re.compile(r".*", re.DOTALL)
_CONFIDENCE: dict[Strength, float] = {"strong": 0.97, "medium": 0.8, "weak": 0.6}
# A page with less than a tenth of its last good text proves nothing; between that and half, the change step holds it.
_SHRUNK = 10
# As long as ever is a proof only where that is longer than what weak rules look at.
_SIZE_PROVES = 400


def judge(
    *,
    status: int,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    known: PageExpectation | None = None,
    parsed: ParsedPage | None = None,
) -> Verdict:
    """What is this response? Never raises, whatever the bytes are.

    ``url`` is the final one, after redirects. ``headers``: any case; several values of one name joined by commas.
    ``parsed``: ``body`` as HTML, where its tree is at hand. 304 is answered before anyone judges.
    """
    known = known or PageExpectation()
    lines = "\n".join(f"{name}: {value}" for name, value in headers.items())
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), None)
    kind = kind_of(body, content_type)
    is_page = kind == "html" or (kind == "text" and b"<" in body)
    whole = bool(known.must_contain or known.anchors)
    enough = max(_enough_prose(), known.min_chars, known.last_good_chars or 0)
    evidence = Evidence()
    if is_page:
        evidence = gather_evidence(body, content_type, whole=whole, enough=enough, parsed=parsed)
    evidence.places |= {"url": url, "header": lines}
    if verdict := _verdict_from_rules(evidence, "strong", outside=True):
        return verdict
    plain = refusal_without_page(status, kind, body)
    if plain is not None:
        return plain
    converter = None if kind == "html" else find_converter(body, content_type, is_html=False)
    if status < 400 and (kind not in ("html", "text") or converter is not None):
        if refused := refusal_in_data(kind, body):
            return refused
        if converter is not None:
            return Verdict("content", None, 0.9, (FiredRule(f"document-{converter[0].name}", "body:0"),))
        if kind == "binary":  # proves nothing, and nothing of it could be read
            return Verdict("unknown", None, 0.7, (FiredRule("document-binary", "body:0"),))
        return Verdict("content", None, 0.9, (FiredRule(f"document-{kind}", "body:0"),))
    if kind == "text" and not evidence.visible:
        return _judge_text(status, body, known, lines)
    return _judge_page(status, evidence, known, lines)


def _judge_page(status: int, evidence: Evidence, known: PageExpectation, header_lines: str) -> Verdict:
    if status < 400 and known.anchors and not _absent_phrases(known.anchors, evidence):
        return Verdict("content", None, 0.98, (FiredRule("known-anchors", "text"),))
    if verdict := _verdict_from_rules(evidence, "strong"):
        return verdict
    medium = _verdict_from_rules(evidence, "medium")
    if verdict := verdict_from_status(status, header_lines, medium):
        return verdict
    return _verdict_from_demands(evidence, known, medium) or _verdict_from_hints(evidence, known, medium)


def _verdict_from_demands(evidence: Evidence, known: PageExpectation, medium: Verdict | None) -> Verdict | None:
    """What was expected and is missing makes a page prove nothing; what is there vetoes every guess."""
    if missing := _unmet_demands(known, evidence):
        hint = medium or _verdict_from_rules(evidence, "weak") or page_shapes.verdict_from_shape(evidence)
        return hint or Verdict("unknown", None, 0.7, missing)
    if known.must_contain:
        return Verdict("content", None, 0.95, (FiredRule("expected-text", "text"),))
    return None


def _verdict_from_hints(evidence: Evidence, known: PageExpectation, medium: Verdict | None) -> Verdict:
    if medium:
        return medium
    if _SIZE_PROVES <= (known.last_good_chars or 0) <= evidence.prose * 2:
        return Verdict("content", None, 0.9, (FiredRule("last-good-size", "text"),))
    if verdict := _verdict_from_rules(evidence, "weak") or page_shapes.verdict_from_shape(evidence):
        return verdict
    return Verdict("content", None, 0.9 if evidence.prose >= 500 else 0.6)


def _verdict_from_rules(evidence: Evidence, strength: Strength, *, outside: bool = False) -> Verdict | None:
    """The first rule of this strength that fires decides; the others that agree with it raise the confidence."""
    fired = list(_fired_rules(evidence, strength, outside))
    if not fired:
        return None
    kind, vendor = fired[0][0].kind, fired[0][0].vendor
    agreeing = [(rule, sign) for rule, sign in fired if rule.kind == kind]
    vendor = vendor or next((rule.vendor for rule, _ in agreeing if rule.vendor), None)
    confidence = min(0.99, _CONFIDENCE[strength] + 0.05 * (len(agreeing) - 1))
    return Verdict(kind, vendor, round(confidence, 2), tuple(sign for _, sign in agreeing))


def _fired_rules(evidence: Evidence, strength: Strength, outside: bool) -> Iterable[tuple[Rule, FiredRule]]:
    for rule in _rules_by_strength()[strength, outside]:
        if not outside and _own_text_chars(evidence, rule) > rule.limit:
            continue
        if rule.place == "text" and not rule.may_match(evidence.folded("text")):
            continue
        for line_start, line in _place_lines(evidence, rule):
            match = rule.regex.search(line)
            if match and rule.is_common and _is_about_topic(evidence, rule, line, match):
                break
            if match and (rule.also is None or rule.also_regex.search(evidence.folded(rule.also[0]))):
                yield rule, FiredRule(rule.name, f"{rule.place}:{line_start + match.start()}")
                break


def _is_about_topic(evidence: Evidence, rule: Rule, line: str, match: re.Match[str]) -> bool:
    """Whether the page is about what the rule looks for, instead of being it."""
    if evidence.is_elsewhere or (evidence.is_of_law and rule.kind not in _OF_SITES):
        return True
    if rule.place == "text":
        title = evidence.folded("title")
        return (whole := _ALL.match(title)) is not None and names_a_topic(title, whole, evidence.prose)
    return names_a_topic(line, match, evidence.prose)


def _own_text_chars(evidence: Evidence, rule: Rule) -> int:
    return evidence.visible if rule.counts_all else evidence.prose


def _place_lines(evidence: Evidence, rule: Rule) -> Iterable[tuple[int, str]]:
    text = evidence.folded(rule.place)
    if rule.place != "header":
        return [(0, text)]
    offset, lines = 0, []
    for line in text.split("\n"):
        lines.append((offset, line))
        offset += len(line) + 1
    return lines


def _absent_phrases(phrases: Iterable[str], evidence: Evidence) -> list[str]:
    text = (evidence.whole or evidence.of("text")).casefold()
    return [phrase for phrase in phrases if " ".join(phrase.casefold().split()) not in text]


def _unmet_demands(known: PageExpectation, evidence: Evidence) -> tuple[FiredRule, ...]:
    missing = [FiredRule("expected-text-missing", phrase) for phrase in _absent_phrases(known.must_contain, evidence)]
    if evidence.visible < known.min_chars:
        missing.append(FiredRule("expected-length-missing", f"{evidence.visible} of {known.min_chars} characters"))
    if known.last_good_chars and evidence.visible * _SHRUNK < known.last_good_chars:
        missing.append(FiredRule("shrunk", f"{evidence.visible} characters, last time {known.last_good_chars}"))
    return tuple(missing)


def _judge_text(status: int, body: bytes, known: PageExpectation, header_lines: str) -> Verdict:
    """Plain text proves itself by being there; a wall in it is one line under an error status."""
    evidence = Evidence(visible=len(body), prose=len(body))
    evidence.places = {"text": body[:40_000].decode("utf-8", "replace")}
    if known.must_contain or known.anchors:
        evidence.whole = " ".join(body.decode("utf-8", "replace").split())
    return _judge_page(status, evidence, known, header_lines)


# What an HTTP status says by itself, when no page says more.

# RFC 9110 and 6585; 444, 499 and 52x are what nginx and Cloudflare add.
_KINDS: dict[int, Kind] = {
    400: "server_error",
    401: "login_wall",
    402: "denied",
    403: "denied",
    404: "not_found",
    405: "denied",
    406: "denied",
    407: "filtered",
    408: "server_error",
    410: "not_found",
    421: "server_error",
    425: "server_error",
    429: "rate_limited",
    444: "denied",
    451: "denied",
    511: "filtered",
}
# What a page may say under an error status without being overruled by it: a 403 with a challenge is a challenge.
_SAYS_MORE: frozenset[Kind] = frozenset(
    {"challenge", "captcha", "rate_limited", "login_wall", "consent_wall", "age_wall", "filtered"}
)
# What storage and gateways answer when they answer with data: S3's error codes, API Gateway's messages.
_IN_DATA: tuple[tuple[Kind, re.Pattern[bytes]], ...] = (
    (
        "denied",
        re.compile(
            rb"access ?denied|forbidden|missing ?authentication ?token|not authorized|unauthorized", re.IGNORECASE
        ),
    ),
    ("soft_404", re.compile(rb"nosuch(?:key|bucket|website)|(?:page|resource|route)? ?not ?found", re.IGNORECASE)),
    ("rate_limited", re.compile(rb"too ?many ?requests|rate ?limit|slow ?down|quota ?exceeded", re.IGNORECASE)),
    ("server_error", re.compile(rb"internal ?(?:server ?)?error|service ?unavailable|bad ?gateway", re.IGNORECASE)),
)
_ERROR_DATA = re.compile(
    rb"""\A\s*(?:<\?xml[^>]*>\s*)?<Error>\s*<Code>([^<]{1,80})</Code>"""
    rb"""|\A\s*\{\s*"(?:message|error|detail|title|code)"\s*:\s*"([^"]{1,80})"\s*[,}]""",
    re.IGNORECASE,
)
#: What frameworks say of a request in JSON, beside its status; RFC 9457 has most of these names, too.
_NAMES_IN_ERRORS = (
    "code correlationid detail details error errors exception id instance message method path reason requestid source "
    "status statuscode success timestamp title traceid type"
)
_ERROR_NAMES = frozenset(_NAMES_IN_ERRORS.split())
_ERROR_STATUS = re.compile(r"[45]\d\d", re.ASCII)
_MAX_ERROR_DATA = 1_000  # S3's errors have at most 400 bytes; a document of law has more
_RETRY_AFTER = re.compile(r"^retry-after:", re.IGNORECASE | re.MULTILINE)


def refusal_without_page(status: int, kind: str, body: bytes) -> Verdict | None:
    """The verdict on a response that has no page to read: an empty body, or an error in JSON, XML or bytes."""
    bare = not body.strip()
    if status in (204, 205) or (bare and status < 300):
        return Verdict("empty", None, 0.97, (FiredRule("no-body", "body:0"),))
    if bare or (status >= 400 and kind not in ("html", "text")):
        return verdict_from_status(status, "", None)
    return None


def verdict_from_status(status: int, header_lines: str, page: Verdict | None) -> Verdict | None:
    """The verdict of a status of 300 or more; None for success. ``page`` is what the page itself seems to be."""
    if status < 300:
        return None
    fired = (FiredRule(f"status-{status}", "status"),)
    if page is not None and page.kind in _SAYS_MORE and status >= 400:
        return Verdict(page.kind, page.vendor, min(0.97, page.confidence + 0.1), fired + page.rules)
    if status < 400:
        return Verdict("redirect_stub", None, 0.9, fired)
    if status >= 500 and status not in _KINDS:
        closed = status == 503 and (_RETRY_AFTER.search(header_lines) or (page and page.kind == "maintenance"))
        return Verdict("maintenance" if closed else "server_error", page.vendor if page else None, 0.95, fired)
    kind = _KINDS.get(status)
    return Verdict(kind or "unknown", page.vendor if page else None, 0.95 if kind else 0.5, fired)


def refusal_in_data(kind: str, body: bytes) -> Verdict | None:
    """The verdict on a small JSON or XML document that is nothing but an error, whatever its status."""
    if kind not in ("json", "xml") or len(body) > _MAX_ERROR_DATA:
        return None
    found = _ERROR_DATA.match(body)
    message = (found[1] or found[2]) if found else b""
    refusal = next((meant for meant, pattern in _IN_DATA if pattern.search(message)), None)
    if refusal is None and kind == "json" and (status := _status_in_json(body)) is not None:
        refusal = "soft_404" if status in (404, 410) else _KINDS.get(status, "server_error")
    return Verdict(refusal, None, 0.8, (FiredRule("error-in-data", "body:0"),)) if refusal else None


def _status_in_json(body: bytes) -> int | None:
    """The error status that a JSON object states, where it says nothing but what is said of a request."""
    try:
        stated = json.loads(body)
    except ValueError:
        return None
    names = {"status", "statuscode"}
    if isinstance(stated, dict) and len(stated) == 1 and stated.keys() <= {"error", "errors"}:
        (stated,) = stated.values()
        stated = stated[0] if isinstance(stated, list) and len(stated) == 1 else stated
        names.add("code")  # elsewhere also of a product, or of laws
    if not isinstance(stated, dict) or len(stated) < 2 or not {name.lower() for name in stated} <= _ERROR_NAMES:
        return None
    values = [str(value) for name, value in stated.items() if name.lower() in names]
    return next((int(one) for one in values if _ERROR_STATUS.fullmatch(one)), None)
