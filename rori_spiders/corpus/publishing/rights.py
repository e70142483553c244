"""Whether a page may be in a corpus, by what its publisher says of it: a table of rules, as data.

In: what is known of a page. Out: ``Rights``. What could not be looked at is named in ``unknown``; without a rule that
permits it, a page is "not known", never "permitted". Sources: the TDM Reservation Protocol (W3C community group),
contentsignals.org, RFC 9309, and what publishers and search engines document of the other words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from rori_spiders.corpus.publishing.agents import closed_to
from rori_spiders.corpus.publishing.version import Rights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rori_spiders.content.usage import Signal

#: ``permission``: outranks what the site says to everybody. ``licence``: does not. ``told``: a condition, no refusal.
Says = Literal["permission", "licence", "forbidden", "told"]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a page. None: nobody looked, or nothing was kept.

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
    """A rule for ``metadata.rights``: the first whose pattern is found decides."""

    says: Says
    pattern: re.Pattern[str]
    why: str


class SignalRule(NamedTuple):
    """A rule for a signal of this name whose value the pattern is found in (a bare word has the value "")."""

    says: Says
    signal: str
    value: re.Pattern[str]
    why: str


def _text(says: Says, pattern: str, why: str) -> TextRule:
    return TextRule(says, re.compile(pattern, re.IGNORECASE), why)


def _signal(says: Says, signal: str, value: str, why: str) -> SignalRule:
    return SignalRule(says, signal, re.compile(value, re.IGNORECASE), why)


_AI = r"(?:\bAI\b|artificial intelligence|machine learning|language models?|(?:text and )?data mining|\bTDM\b)"

TEXT_RULES = (
    _text("forbidden", rf"\b(?:no|not|never|without)\b[^.;\n]{{0,60}}{_AI}", "its rights exclude use by AI"),
    _text("forbidden", rf"{_AI}[^.;\n]{{0,40}}\b(?:prohibited|forbidden|reserved)\b", "its rights exclude use by AI"),
    _text("forbidden", r"\bpermission (?:was |has been )?(?:refused|denied|withdrawn)\b", "permission was refused"),
    _text(
        "permission",
        r"(?<!no )\bpermission (?:was |has been |is )?(?:granted|given)\b"
        r"|\b(?:used|kept|published|reused|reproduced) (?:by|with) (?:the )?(?:[\w']+ ){0,3}permission\b"
        r"|^(?:by|with) (?:the )?(?:[\w']+ ){0,3}permission\b|\blicen[cs]ed to us\b|\bour own (?:site|pages|content)\b",
        "its publisher has permitted it",
    ),
    _text("forbidden", r"\ball rights reserved\b", "all rights are reserved"),
    _text(
        "forbidden",
        r"\b(?:may|must|can)(?: ?not| never) be (?:copied|kept|reproduced|republished|redistributed|reused|stored)\b"
        r"|\bno (?:copying|reproduction|republication|redistribution|reuse)\b|\bnot for (?:redistribution|reuse)\b",
        "its rights exclude copies",
    ),
    _text("forbidden", r"\b(?:personal|private)(?:,? (?:and |or )?non-?commercial)? use only\b", "for readers alone"),
    _text("licence", r"\bpublic domain\b|\b17 U\.?S\.?C\.? ?§? ?105\b|\bCC0\b", "it is in the public domain"),
    _text("told", r"\bCC[ -]BY(?:-\w+)*-N[CD]\b|non-?commercial|no derivatives", "its licence has conditions"),
    _text("licence", r"\bCC[ -]BY\b|\bOpen Government Licen[cs]e\b|\bcreative commons attribution\b", "it is licensed"),
)  # fmt: skip

SIGNAL_RULES = (
    _signal("forbidden", "noai", "", "it asks not to be used by AI (noai)"),
    _signal("told", "noimageai", "", "its pictures are not for AI (noimageai); a corpus holds none"),
    _signal("forbidden", "tdm-reservation", r"^1\b", "text and data mining is reserved (tdm-reservation: 1)"),
    _signal("told", "tdm-policy", ".", "it names a policy for text and data mining"),
    _signal("forbidden", "content-signal", r"\bai-input\s*=\s*no\b", "it is not for the input of AI (ai-input=no)"),
    _signal("forbidden", "content-signal", r"\bsearch\s*=\s*no\b", "it is not for search indexes (search=no)"),
    _signal("told", "content-signal", r"\bai-train\s*=\s*no\b", "it is not for training AI (ai-train=no)"),
    _signal("told", "noindex", "", "it asks not to be in search indexes (noindex)"),
    _signal("told", "none", "", "it asks not to be in search indexes (none)"),
    _signal("told", "noarchive", "", "it asks that no copies be shown (noarchive)"),
    _signal("told", "nosnippet", "", "it asks that no excerpts be shown (nosnippet)"),
)


def judged(known: Known) -> Rights:
    """What the rules say of a page."""
    said = [*_of_text(known.rights or ""), *_of_signals(known.signals or ())]
    if known.robots is not None and (agents := closed_to(known.robots, known.url)):
        said.append(("forbidden", f"robots.txt closes it to agents of AI ({', '.join(agents)})"))
    reasons = {
        kind: [why for says, why in said if says == kind] for kind in ("permission", "licence", "forbidden", "told")
    }
    unknown = _unknown(known)
    if reasons["permission"]:
        told = [*reasons["forbidden"], *reasons["told"]]
        return Rights(verdict="permitted", reasons=reasons["permission"], told=told, unknown=unknown)
    if reasons["forbidden"]:
        return Rights(verdict="forbidden", reasons=reasons["forbidden"], told=reasons["told"], unknown=unknown)
    verdict: Literal["permitted", "not_known"] = "permitted" if reasons["licence"] else "not_known"
    return Rights(verdict=verdict, reasons=reasons["licence"], told=reasons["told"], unknown=unknown)


def together(told: Mapping[str, Rights]) -> Rights:
    """Of a text that was taken from several pages, by address: forbidden as soon as one is, permitted when all are."""
    if len(told) == 1:
        return next(iter(told.values()))
    forbidden = {url: one for url, one in told.items() if one.verdict == "forbidden"}
    some_unknown = any(one.verdict == "not_known" for one in told.values())
    verdict: Literal["permitted", "forbidden", "not_known"]
    verdict = "forbidden" if forbidden else "not_known" if some_unknown else "permitted"
    decide = forbidden or {url: one for url, one in told.items() if one.verdict == verdict}
    return Rights(
        verdict=verdict,
        reasons=[f"{url}: {why}" for url, one in decide.items() for why in one.reasons],
        told=[f"{url}: {what}" for url, one in told.items() for what in one.told],
        unknown=[f"{url}: {what}" for url, one in told.items() for what in one.unknown],
    )


def _of_text(text: str) -> list[tuple[Says, str]]:
    for rule in TEXT_RULES:
        if rule.pattern.search(text):
            return [(rule.says, f"{rule.why}: {' '.join(text.split())[:200]}")]
    return []


def _of_signals(signals: Sequence[Signal]) -> list[tuple[Says, str]]:
    return [
        (rule.says, f"{rule.why}, says its {signal.source}{f': {signal.value}' if signal.value else ''}")
        for signal in signals
        for rule in SIGNAL_RULES
        if rule.signal == signal.signal and rule.value.search(signal.value or "")
    ]


def _unknown(known: Known) -> list[str]:
    told = {
        "the manifest says nothing of its rights": not known.rights,
        f"nobody has read its terms ({known.terms_url}) for this": known.terms_url is not None,
        "its headers and meta elements are not kept": known.signals is None,
        "its robots.txt is not kept": known.robots is None,
        "its meta elements are those of when its text was taken; its HTML has changed since": known.is_newer,
    }
    return [what for what, is_so in told.items() if is_so]
