"""Decisions by people and rules: each page has one at most, with the rule that made it, and the first that fits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from rori_spiders.corpus.site_rules import TriageRules
from rori_spiders.corpus.triage.rule_triage import (
    SAMPLES_PER_SECTION,
    SAMPLES_PER_TEMPLATE,
    MappedPage,
    Override,
    RuleTriage,
    select_samples,
)
from tests.support.cases import cases

NOW = datetime(2026, 11, 23, tzinfo=UTC)
HOST = "www.example.gov"


def page(path: str, host: str = HOST, **known: Any) -> MappedPage:
    found = {"page_id": path, "url": f"https://{host}{path}", "section": "/", "template": "/*", "source_id": "guide"}
    return MappedPage(**{**found, **known})


def decided(page: MappedPage, overrides: dict[str, Override] | None = None, **rules: Any) -> Any:
    triage = RuleTriage(TriageRules.model_validate(rules), [HOST], overrides or {}, NOW)
    return triage.decide([page])[page.page_id]


@cases(
    ("path", "decision", "rule"),
    [
        ("/tag/loans/", "exclude", "tags"),
        ("/blog/author/ann/", "exclude", "authors"),
        ("/guide/page/2/", "exclude", "pagination"),
        ("/archives/2024/05/", "exclude", "archives"),
        ("/search", "exclude", "search"),
        ("/login.aspx", "exclude", "sign-in"),
        ("/voting/register.html", "needs_review", "register"),
        ("/contact-us/", "exclude", "forms"),
        ("/guide/1/print/", "exclude", "print"),
        ("/guide/_sources/pkgs.rst.txt", "exclude", "page-source"),
        ("/guide/sources-of-income/", None, None),
        ("/blog/feed/", "exclude", "feeds"),
        ("/events/2026/spring/", "exclude", "events"),
        ("/careers/", "exclude", "jobs"),
        ("/404.html", "exclude", "errors"),
        ("/sitemap", "exclude", "site-map"),
        ("/tools/payment-calculator/", "needs_review", "calculators"),
        ("/pricing", "needs_review", "prices"),
        ("/es/reglas/", "exclude", "language"),
        ("/guide/?sort=up", "exclude", "query"),
        # What only looks like one of them.
        ("/regulations/404/", None, None),
        ("/regulations/1024/500/", None, None),
        ("/rules/tagging-of-assets/", None, None),
        ("/guide/contact-with-borrowers/", None, None),
        ("/guide/eventual-default/", None, None),
        ("/ca/insurance/", None, None),
        ("/in/rules/", None, None),
        ("/guide/printing-costs/", None, None),
    ],
)
def test_rule_triage_url_pattern_decides(path: str, decision: str | None, rule: str | None) -> None:
    found = decided(page(path))
    assert (found and found.decision, found and found.rule) == (decision, rule)
    if found:
        assert found.reason and found.evidence and found.confidence == 1


def test_rule_triage_human_decision_outranks_rules() -> None:
    form = page("/login")
    found = decided(form, {form.page_id: Override("include", "the rules stand there", "ann")}, exclude=["/login"])
    assert (found.decision, found.decided_by, found.rule, found.reason) == (
        "include", "override", "ann", "the rules stand there",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "decision", "rule"),
    [
        ({"include": ["/events/*"]}, "include", "include: /events/*"),
        ({"include": ["/events/*"], "exclude": ["/events/x"]}, "exclude", "exclude: /events/x"),
        ({"include": ["/events/*"], "review": ["/events/x"]}, "needs_review", "review: /events/x"),
    ],
)
def test_rule_triage_site_rules_outrank_general_rules(rules: dict[str, Any], decision: str, rule: str) -> None:
    found = decided(page("/events/x"), **rules)
    assert (found.decision, found.rule) == (decision, rule)


def test_rule_triage_excluded_by_collection_stays_excluded() -> None:
    found = decided(page("/a", met="excluded", met_reason="robots"), include=["/a"])
    assert (found.decision, found.rule) == ("exclude", "collection") and "robots" in found.reason
    assert decided(page("/a", met="gone")).rule == "gone"
    assert decided(page("/a", met="failed")) is None, "a failure is no decision: its text is asked for once more"


def test_rule_triage_hosts_and_parameters() -> None:
    assert decided(page("/a", host="m.example.gov")).rule == "host"
    assert decided(page("/a", host="m.example.gov"), allowed_hosts=["m.example.gov"]) is None
    assert decided(page("/a?id=1&sort=up"), allowed_parameters=["id"]).reason.endswith(": sort")
    assert decided(page("/a?id=1"), allowed_parameters=["id"]) is None


def test_rule_triage_url_named_by_manifest_keeps_parameters() -> None:
    """The U.S. Code's chapters have no address without (uscode-hpa of the packaged manifest)."""
    law = page("/view.xhtml?path=/prelim@title12/chapter49")
    other = page("/view.xhtml?path=/prelim@title12/chapter49&sort=up")
    triage = RuleTriage(TriageRules(), [HOST], {}, NOW, named_urls=[law.url])
    found = triage.decide([law, other])
    assert found[law.page_id] is None
    refused = found[other.page_id]
    assert refused is not None and refused.rule == "query"


@cases(
    ("path", "dated", "decision", "rule"),
    [
        ("/newsroom/a/", "2026-10-01", "include", "recent news"),
        ("/newsroom/a/", "2025-05-24", "include", "recent news"),
        ("/newsroom/a/", "2025-05-23", "exclude", "old news"),
        ("/blog/2019/05/a/", None, "exclude", "old news"),
        ("/blog/2019-05-03-a/", None, "exclude", "old news"),
        ("/blog/2026/10/a/", None, "include", "recent news"),
        ("/blog/2025/", None, "include", "recent news"),
        ("/blog/20261/a/", None, "needs_review", "undated news"),
        ("/blog/a/", None, "needs_review", "undated news"),
        ("/guide/2019/05/a/", None, None, None),
    ],
)
def test_rule_triage_old_news_is_excluded(path: str, dated: str | None, decision: str | None, rule: str | None) -> None:
    found = decided(page(path, dated=dated))
    assert (found and found.decision, found and found.rule) == (decision, rule)


def test_rule_triage_news_age_is_set_by_site_rules() -> None:
    old = page("/tales/a", dated="2020-01-01")
    assert decided(old) is None
    assert decided(old, news_sections=["/tales/*"]).rule == "old news"
    assert decided(old, news_sections=["/tales/*"], recent_months=0).rule == "recent news"
    assert decided(page("/news/a"), recent_months=0) is None


def test_rule_triage_language_of_url_before_text() -> None:
    assert decided(page("/a", language="es")).evidence == ("es",)
    assert decided(page("/es/a"), languages=["en", "es"]) is None
    assert decided(page("/a", language="en-US")) is None


@pytest.mark.parametrize("state", ["ar", "de", "hi"])
def test_rule_triage_folder_that_may_be_a_state(state: str) -> None:
    """Arkansas or Arabic: the text knows; without one a person looks."""
    assert decided(page(f"/{state}/rules/", language="en")) is None
    assert decided(page(f"/{state}/rules/", language=state)).decision == "exclude"
    unknown = decided(page(f"/{state}/rules/"))
    assert (unknown.decision, unknown.rule) == ("needs_review", "language")
    assert decided(page(f"/{state}/rules/"), languages=["en", state]) is None


@pytest.mark.parametrize("title", ["Page not found", "404 - Example", "Sign in | Example", " Access Denied"])
def test_rule_triage_title_decides(title: str) -> None:
    assert decided(page("/a", title=title)).rule == "title"
    assert decided(page("/a", title=f"What to do when you read: {title}")) is None


def test_rule_triage_unmatched_page_needs_review() -> None:
    def default(mapped: MappedPage, **rules: Any) -> tuple[str, str]:
        found = RuleTriage(TriageRules.model_validate(rules), [HOST], {}, NOW).default(mapped)
        return found.decision, found.rule

    assert default(page("/a")) == ("include", "reviewed source")
    assert default(page("/a", source_id=None)) == ("needs_review", "nobody decides")
    assert default(page("/a"), default_decision="needs_review") == ("needs_review", "default_decision")


def test_rule_triage_samples_cover_every_section_and_template() -> None:
    pages = [page(f"/{section}/{kind}{n}", section=f"/{section}/", template=f"/{section}/{kind}*")
             for section in "ab" for kind in "xyz" for n in range(9)]  # fmt: skip
    pages.append(page("/c/only", section="/c/", template="/c/*"))
    chosen = select_samples(pages)
    assert chosen == select_samples(reversed(pages))
    of_a = [one for one in chosen if one.startswith("/a/")]
    assert len(of_a) == SAMPLES_PER_SECTION and len([one for one in of_a if "/x" in one]) == SAMPLES_PER_TEMPLATE
    assert "/c/only" in chosen
