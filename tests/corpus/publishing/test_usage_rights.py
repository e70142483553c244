"""Whether a page may be published: each rule by what publishers write, and what is not known is said so."""

from __future__ import annotations

from rori_spiders.content.metadata.usage_directives import Signal
from rori_spiders.corpus.publishing.usage_rights import KnownRights, assess_rights, combine_rights
from rori_spiders.corpus.publishing.version_manifest import Rights, RightsVerdict
from tests.support.cases import cases

URL = "https://www.acme.com/pricing"
DEMO = "Work of the United States government, public domain (17 U.S.C. 105)"


@cases(
    ("text", "verdict"),
    [
        (DEMO, "permitted"),
        ("CC BY 4.0", "permitted"),
        ("CC BY-SA 3.0", "permitted"),
        ("CC-BY-NC 4.0", "not_known"),
        ("Open Government Licence v3.0", "permitted"),
        ("Used by written permission of Acme Inc., 2026-03-01", "permitted"),
        ("With the publisher's permission", "permitted"),
        ("All rights reserved. Permission granted by e-mail, ticket 7", "permitted"),
        ("our own site", "permitted"),
        ("© Acme Inc. All rights reserved.", "forbidden"),
        ("May not be reproduced without written permission", "forbidden"),
        ("No permission granted", "not_known"),
        ("Permission was refused on 2026-01-02", "forbidden"),
        ("CC BY 4.0, but not for AI", "forbidden"),
        ("Text and data mining is prohibited", "forbidden"),
        ("No use for machine learning; licensed to us", "forbidden"),
        ("For personal, non-commercial use only", "forbidden"),
        ("Not for redistribution", "forbidden"),
        ("Copyright Acme", "not_known"),
        ("", "not_known"),
    ],
)
def test_assess_rights_words_of_manifest(text: str, verdict: str) -> None:
    rights = assess_rights(KnownRights(URL, rights=text, signals=(), robots=""))
    assert rights.verdict == verdict
    assert verdict == "not_known" or text in rights.reasons[0]
    assert ("the manifest has no `rights` for it" in rights.unknown) == (not text)


@cases(
    ("signal", "verdict", "says"),
    [
        (Signal("noai", None, "meta"), "forbidden", "noai"),
        (Signal("noai", None, "header"), "forbidden", "declared by its header"),
        (Signal("noimageai", None, "meta"), "not_known", "a corpus has no images"),
        (Signal("tdm-reservation", "1", "header"), "forbidden", "tdm-reservation: 1"),
        (Signal("tdm-reservation", "0", "header"), "not_known", ""),
        (Signal("content-signal", "search=yes, ai-input=no", "robots.txt"), "forbidden", "ai-input=no"),
        (Signal("content-signal", "Search = NO", "header"), "forbidden", "search=no"),
        (Signal("content-signal", "search=yes, ai-train=no", "robots.txt"), "not_known", "training"),
        (Signal("content-signal", "search=yes, ai-input=yes", "robots.txt"), "not_known", ""),
        (Signal("noindex", None, "meta"), "not_known", "noindex"),
    ],
)
def test_assess_rights_signals_of_page(signal: Signal, verdict: str, says: str) -> None:
    rights = assess_rights(KnownRights(URL, signals=[signal], robots=""))
    assert rights.verdict == verdict
    assert says in " ".join((*rights.reasons, *rights.conditions))
    assert bool(rights.conditions) == (verdict == "not_known" and bool(says))


@cases(
    ("robots", "agents"),
    [
        ("User-agent: GPTBot\nDisallow: /\n", ["GPTBot"]),
        ("user-agent: gptbot\nUser-agent: CCBot # all of it\nDisallow: /pricing\n", ["GPTBot", "CCBot"]),
        ("User-agent: GPTBot\nDisallow: /blog/\n", []),
        ("User-agent: *\nDisallow: /\n", []),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Google-Extended\nAllow: /\n", []),
        ("User-agent: RORI-Collector\nDisallow: /\n\nUser-agent: Google-Extended\nDisallow:\n", []),
        ("User-agent: Google-Extended\nDisallow: /\nAllow: /pricing\n", []),
        ("User-agent: PerplexityBot\nDisallow: /*cing$\n", ["PerplexityBot"]),
        ("<html><p>User-agent: GPTBot</p></html>", []),
    ],
)
def test_assess_rights_robots_file_closed_to_ai_agents(robots: str, agents: list[str]) -> None:
    rights = assess_rights(KnownRights(URL, signals=(), robots=robots))
    assert rights.verdict == ("forbidden" if agents else "not_known")
    assert all(agent in rights.reasons[0] for agent in agents)


def test_assess_rights_permission_outranks_signals_licence_does_not() -> None:
    signals = [Signal("noai", None, "meta")]
    permitted = assess_rights(KnownRights(URL, rights="Used by permission of Acme", signals=signals, robots=""))
    assert permitted.verdict == "permitted"
    assert "noai" in permitted.conditions[0]
    assert assess_rights(KnownRights(URL, rights=DEMO, signals=signals, robots="")).verdict == "forbidden"


def test_assess_rights_missing_evidence_is_named_and_permits_nothing() -> None:
    rights = assess_rights(KnownRights(URL, terms_url="https://www.acme.com/terms"))
    assert rights.verdict == "not_known"
    assert rights.reasons == rights.conditions == []
    assert rights.unknown == [
        "the manifest has no `rights` for it",
        "its terms (https://www.acme.com/terms) were not reviewed",
        "its headers and meta elements were not stored",
        "its robots.txt was not stored",
    ]


@cases(
    ("of_page", "of_document", "verdict", "reasons"),
    [
        ("not_known", "forbidden", "forbidden", ["d: why"]),
        ("forbidden", "permitted", "forbidden", ["p: why"]),
        ("forbidden", "forbidden", "forbidden", ["p: why", "d: why"]),
        ("permitted", "not_known", "not_known", ["d: why"]),
        ("permitted", "permitted", "permitted", ["p: why", "d: why"]),
    ],
)
def test_combine_rights_text_of_two_pages_has_rights_of_both(
    of_page: RightsVerdict, of_document: RightsVerdict, verdict: RightsVerdict, reasons: list[str]
) -> None:
    page, document = (Rights(verdict=one, reasons=["why"], unknown=["x"]) for one in (of_page, of_document))
    rights = combine_rights({"p": page, "d": document})
    assert (rights.verdict, rights.reasons, rights.unknown) == (verdict, reasons, ["p: x", "d: x"])
    assert combine_rights({"p": page}) == page


def test_rights_of_version_before_rename_are_read() -> None:
    rights = Rights.model_validate_json('{"verdict": "permitted", "told": ["no search indexes (noindex)"]}')
    assert rights.conditions == ["no search indexes (noindex)"]
    assert '"conditions":["no search' in rights.model_dump_json()
