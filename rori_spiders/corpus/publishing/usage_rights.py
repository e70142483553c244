"""Decide whether a page may be in a corpus, by what its publisher declares: a table of rules, as data.

Input: evidence about a page from the manifest, the ledger, and the stored bytes (headers, meta elements, robots.txt
groups that name AI agents). Output: ``Rights``. What could not be looked at is named in ``unknown``; without a rule
that permits it, a page is "not known", never "permitted". Sources: the TDM Reservation Protocol (W3C community
group), contentsignals.org, RFC 9309, and what publishers and search engines document.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Literal, NamedTuple

import lxml.html
from lxml.etree import ParserError

from rori_spiders import ROBOTS_TOKEN
from rori_spiders.content.encoding import decode
from rori_spiders.content.metadata import usage_directives
from rori_spiders.content.metadata.usage_directives import Signal
from rori_spiders.corpus.publishing.version_manifest import Rights
from rori_spiders.corpus.publishing.version_plan import Entry
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger.corpus.source_texts import RightsEvidence, load_rights_evidence
from rori_spiders.ledger.database import Ledger
from rori_spiders.manifest.models import Source
from rori_spiders.politeness.robots_policy import RobotsFile, read_robots_txt
from rori_spiders.staging.store import Store
from rori_spiders.urls.canonical import origin_of

#: Product tokens, as their makers document them: those that take pages for answers, and those that take them to train.
AI_AGENTS = (
    "Google-Extended", "OAI-SearchBot", "ChatGPT-User", "PerplexityBot", "Perplexity-User", "Claude-SearchBot",
    "Claude-User", "DuckAssistBot", "MistralAI-User", "Meta-ExternalFetcher", "YouBot",
    "GPTBot", "ClaudeBot", "anthropic-ai", "Claude-Web", "CCBot", "Applebot-Extended", "Meta-ExternalAgent",
    "Bytespider", "cohere-ai", "cohere-training-data-crawler", "AI2Bot", "Amazonbot", "Diffbot", "omgili",
)  # fmt: skip
_AGENT_LINE = re.compile(r"^([ \t]*user[- ]?agent[ \t]*:[ \t]*)([^\s#]*)", re.IGNORECASE | re.MULTILINE)
_NO_AGENT = "nobody-at-all"


def disallowed_ai_agents(robots: str, url: str) -> list[str]:
    """Return the AI agents for which the file *robots* disallows *url* by name."""
    return [agent for agent, file in _robots_by_agent(robots, origin_of(url)) if not file.allows(url)]


@lru_cache(maxsize=64)
def _robots_by_agent(robots: str, origin: str) -> tuple[tuple[str, RobotsFile], ...]:
    """Return the rules for each named agent."""
    named = {line[2].lower() for line in _AGENT_LINE.finditer(robots)}
    return tuple((agent, _robots_for_agent(agent, robots, origin)) for agent in AI_AGENTS if agent.lower() in named)


def _robots_for_agent(agent: str, robots: str, origin: str) -> RobotsFile:
    """Parse the rules for *agent* as if they were ours: our parser reads the groups of a single product."""

    def renamed(line: re.Match[str]) -> str:
        return line[1] + (ROBOTS_TOKEN if line[2].lower() == agent.lower() else _NO_AGENT)

    text = _AGENT_LINE.sub(renamed, robots)
    return read_robots_txt(origin, status=200, body=text.encode(), at=datetime.min.replace(tzinfo=UTC))


#: ``permission`` outranks what the site tells all, ``licence`` does not; ``condition`` neither permits nor refuses.
RuleEffect = Literal["permission", "licence", "forbidden", "condition"]


@dataclass(frozen=True, slots=True)
class KnownRights:
    """The known usage rights of a page. None: not checked, or not stored.

    ``rights`` and ``terms_url`` are the manifest's, ``signals`` those of its headers, its meta elements and robots.txt,
    ``robots`` the text of that file, with ``url`` the address that it was judged for. ``is_newer``: its HTML has
    changed since its text was taken, and only its headers and robots.txt are of now.
    """

    url: str
    rights: str | None = None
    terms_url: str | None = None
    signals: Sequence[Signal] | None = None
    robots: str | None = None
    is_newer: bool = False


class TextRule(NamedTuple):
    """A rule for ``metadata.rights``: the first matching one decides."""

    effect: RuleEffect
    pattern: re.Pattern[str]
    why: str


class SignalRule(NamedTuple):
    """A rule for a signal of this name whose value matches the pattern (a bare word has the value "")."""

    effect: RuleEffect
    signal: str
    value: re.Pattern[str]
    why: str


def _rule(effect: RuleEffect, pattern: str, why: str) -> TextRule:
    return TextRule(effect, re.compile(pattern, re.IGNORECASE), why)


def _signal_rule(effect: RuleEffect, signal: str, value: str, why: str) -> SignalRule:
    return SignalRule(effect, signal, re.compile(value, re.IGNORECASE), why)


_AI = r"(?:\bAI\b|artificial intelligence|machine learning|language models?|(?:text and )?data mining|\bTDM\b)"

TEXT_RULES = (
    _rule("forbidden", rf"\b(?:no|not|never|without)\b[^.;\n]{{0,60}}{_AI}", "`rights` exclude use by AI"),
    _rule("forbidden", rf"{_AI}[^.;\n]{{0,40}}\b(?:prohibited|forbidden|reserved)\b", "`rights` exclude use by AI"),
    _rule("forbidden", r"\bpermission (?:was |has been )?(?:refused|denied|withdrawn)\b", "permission was refused"),
    _rule(
        "permission",
        r"(?<!no )\bpermission (?:was |has been |is )?(?:granted|given)\b"
        r"|\b(?:used|kept|published|reused|reproduced) (?:by|with) (?:the )?(?:[\w']+ ){0,3}permission\b"
        r"|^(?:by|with) (?:the )?(?:[\w']+ ){0,3}permission\b|\blicen[cs]ed to us\b|\bour own (?:site|pages|content)\b",
        "the publisher gave permission",
    ),
    _rule("forbidden", r"\ball rights reserved\b", "all rights are reserved"),
    _rule(
        "forbidden",
        r"\b(?:may|must|can)(?: ?not| never) be (?:copied|kept|reproduced|republished|redistributed|reused|stored)\b"
        r"|\bno (?:copying|reproduction|republication|redistribution|reuse)\b|\bnot for (?:redistribution|reuse)\b",
        "`rights` exclude copies",
    ),
    _rule("forbidden", r"\b(?:personal|private)(?:,? (?:and |or )?non-?commercial)? use only\b", "personal use only"),
    _rule("licence", r"\bpublic domain\b|\b17 U\.?S\.?C\.? ?§? ?105\b|\bCC0\b", "public domain"),
    _rule("condition", r"\bCC[ -]BY(?:-\w+)*-N[CD]\b|non-?commercial|no derivatives", "a licence with conditions"),
    _rule("licence", r"\bCC[ -]BY\b|\bOpen Government Licen[cs]e\b|\bcreative commons attribution\b", "it is licensed"),
)  # fmt: skip

SIGNAL_RULES = (
    _signal_rule("forbidden", "noai", "", "no use by AI (noai)"),
    _signal_rule("condition", "noimageai", "", "no use of images by AI (noimageai); a corpus has no images"),
    _signal_rule("forbidden", "tdm-reservation", r"^1\b", "text and data mining is reserved (tdm-reservation: 1)"),
    _signal_rule("condition", "tdm-policy", ".", "a policy for text and data mining is declared"),
    _signal_rule("forbidden", "content-signal", r"\bai-input\s*=\s*no\b", "no use as AI input (ai-input=no)"),
    _signal_rule("forbidden", "content-signal", r"\bsearch\s*=\s*no\b", "no search indexes (search=no)"),
    _signal_rule("condition", "content-signal", r"\bai-train\s*=\s*no\b", "no AI training (ai-train=no)"),
    _signal_rule("condition", "noindex", "", "no search indexes (noindex)"),
    _signal_rule("condition", "none", "", "no search indexes (none)"),
    _signal_rule("condition", "noarchive", "", "no copies shown (noarchive)"),
    _signal_rule("condition", "nosnippet", "", "no excerpts shown (nosnippet)"),
)


def assess_rights(known: KnownRights) -> Rights:
    """Assess the usage rights of a page by the rules."""
    effects = [*_apply_text_rules(known.rights or ""), *_apply_signal_rules(known.signals or ())]
    if known.robots is not None and (agents := disallowed_ai_agents(known.robots, known.url)):
        effects.append(("forbidden", f"robots.txt disallows it for AI agents ({', '.join(agents)})"))
    reasons = {
        effect: [why for one, why in effects if one == effect]
        for effect in ("permission", "licence", "forbidden", "condition")
    }
    unknown = _missing_evidence(known)
    if reasons["permission"]:
        restrictions = [*reasons["forbidden"], *reasons["condition"]]
        return Rights(verdict="permitted", reasons=reasons["permission"], conditions=restrictions, unknown=unknown)
    if reasons["forbidden"]:
        return Rights(
            verdict="forbidden", reasons=reasons["forbidden"], conditions=reasons["condition"], unknown=unknown
        )
    verdict: Literal["permitted", "not_known"] = "permitted" if reasons["licence"] else "not_known"
    return Rights(verdict=verdict, reasons=reasons["licence"], conditions=reasons["condition"], unknown=unknown)


def combine_rights(rights: Mapping[str, Rights]) -> Rights:
    """Combine the rights of several source pages, by URL: forbidden if one is, permitted if all are."""
    if len(rights) == 1:
        return next(iter(rights.values()))
    forbidden = {url: one for url, one in rights.items() if one.verdict == "forbidden"}
    some_unknown = any(one.verdict == "not_known" for one in rights.values())
    verdict: Literal["permitted", "forbidden", "not_known"]
    verdict = "forbidden" if forbidden else "not_known" if some_unknown else "permitted"
    decide = forbidden or {url: one for url, one in rights.items() if one.verdict == verdict}
    return Rights(
        verdict=verdict,
        reasons=[f"{url}: {why}" for url, one in decide.items() for why in one.reasons],
        conditions=[f"{url}: {what}" for url, one in rights.items() for what in one.conditions],
        unknown=[f"{url}: {what}" for url, one in rights.items() for what in one.unknown],
    )


def _apply_text_rules(text: str) -> list[tuple[RuleEffect, str]]:
    for rule in TEXT_RULES:
        if rule.pattern.search(text):
            return [(rule.effect, f"{rule.why}: {' '.join(text.split())[:200]}")]
    return []


def _apply_signal_rules(signals: Sequence[Signal]) -> list[tuple[RuleEffect, str]]:
    return [
        (rule.effect, f"{rule.why}; declared by its {signal.source}{f': {signal.value}' if signal.value else ''}")
        for signal in signals
        for rule in SIGNAL_RULES
        if rule.signal == signal.signal and rule.value.search(signal.value or "")
    ]


def _missing_evidence(known: KnownRights) -> list[str]:
    checks = {
        "the manifest has no `rights` for it": not known.rights,
        f"its terms ({known.terms_url}) were not reviewed": known.terms_url is not None,
        "its headers and meta elements were not stored": known.signals is None,
        "its robots.txt was not stored": known.robots is None,
        "its HTML changed since its text was taken, so its meta elements may be outdated": known.is_newer,
    }
    return [what for what, is_so in checks.items() if is_so]


# Evidence for usage rights: from the manifest, the ledger, and stored bytes.

#: Pages whose rows are read at once.
RIGHTS_BATCH = 200


def add_rights(
    ledger: Ledger, store: Store, sources: Mapping[str, Source], entries: Sequence[Entry], *, now: datetime
) -> list[Entry]:
    """Return *entries* with their current rights. *sources*: those of the corpus, by id. Raises StagingError."""
    found: list[Entry] = []
    for at in range(0, len(entries), RIGHTS_BATCH):
        batch = entries[at : at + RIGHTS_BATCH]
        urls = [url for one in batch for url in _source_urls(one)]
        held = ledger.read(partial(load_rights_evidence, urls=urls, sources=sorted(sources)))
        rights = {url: assess_rights(collect_evidence(store, sources, url, held.get(url), now=now)) for url in urls}
        found += [replace(one, rights=combine_rights({url: rights[url] for url in _source_urls(one)})) for one in batch]
    return found


def _source_urls(entry: Entry) -> tuple[str, ...]:
    """Return the URLs from which the text was taken."""
    return (entry.url, entry.linked.url) if entry.linked else (entry.url,)


def collect_evidence(
    store: Store, sources: Mapping[str, Source], url: str, held: RightsEvidence | None, *, now: datetime
) -> KnownRights:
    """Collect the rights evidence of the page at *url*; *held* is its stored version, or None."""
    if held is None:
        return KnownRights(url)
    metadata = sources[held.source_id].metadata
    robots = _read_object(store, held.robots_object)
    signals = None if held.headers is None else _read_signals(store, held, robots, url, now)
    text = None if robots is None else robots.decode(errors="replace")
    is_newer = held.raw_hash is not None and held.raw_hash != held.raw_object
    return KnownRights(url, metadata.rights, metadata.terms_url, signals, text, is_newer=is_newer)


def _read_signals(
    store: Store, held: RightsEvidence, robots: bytes | None, url: str, now: datetime
) -> tuple[Signal, ...]:
    headers = held.headers or {}
    of_site = (
        read_robots_txt(origin_of(url), status=200, body=robots, at=now).content_signal if robots is not None else None
    )
    kind = next((values[0] for name, values in headers.items() if name.lower() == "content-type" and values), None)
    raw = _read_object(store, held.raw_object)
    meta = _signals_in_page(raw, kind) if raw is not None and (kind is None or "html" in kind.lower()) else ()
    return (*usage_directives.in_robots(of_site), *usage_directives.in_headers(headers), *meta)


def _signals_in_page(raw: bytes, kind: str | None) -> tuple[Signal, ...]:
    try:
        root = lxml.html.document_fromstring(decode(raw, kind).text)
    except (ParserError, ValueError):  # nothing to read
        return ()
    return usage_directives.in_page(root)


def _read_object(store: Store, digest: str | None) -> bytes | None:
    """Return the bytes of an object; None when it is missing or damaged."""
    if digest is None:
        return None
    try:
        return store.get_object(digest)
    except (FileNotFoundError, DamagedObject):
        return None
