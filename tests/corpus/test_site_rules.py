"""Site rules: data, read strictly, every problem named at once."""

from __future__ import annotations

from typing import Any

import pytest

from rori_spiders.corpus.site_rules import ALL_FLAGS, SiteRules, parse_site_rules
from rori_spiders.exceptions import UsageError
from rori_spiders.manifest.models import Source
from tests.house.code import docs


def test_site_rules_empty_file_sets_nothing() -> None:
    assert parse_site_rules("") == parse_site_rules("  \n") == parse_site_rules("{}") == SiteRules()


def test_site_rules_every_field_is_read() -> None:
    rules = parse_site_rules(
        """
        entity: FHA
        remove_blocks_matching: ["Book a demo"]
        drop_sections:
          - heading: Related articles
            when_path_matches: /blog/*
        promote_faq_questions: true
        triage:
          include: [/rules/*]
          recent_months: 12
          languages: [en, es]
        """
    )
    assert rules.drop_sections[0].when_path_matches == "/blog/*"
    assert (rules.triage.recent_months, rules.triage.languages, rules.entity) == (12, ("en", "es"), "FHA")


def test_site_rules_every_problem_names_its_place() -> None:
    with pytest.raises(UsageError) as told:
        parse_site_rules(
            "remove_blocks_matching: [x]\ndrop_sections: [{}]\ntriage: {recent: 3, languages: [English]}\n", "a.yaml"
        )
    lines = str(told.value).splitlines()
    places = {line.split(": ")[1] for line in lines}
    wrong = ("triage.languages[0]", "triage.recent", "remove_blocks_matching[0]", "drop_sections[0].heading")
    assert {f"$.{place}" for place in wrong} <= places
    assert all(line.startswith("a.yaml: $") for line in lines)


@pytest.mark.parametrize("text", ["{", "- a", "!!python/object:os.system x", "a: &a [*a]"])
def test_site_rules_other_types_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_site_rules(text)


def test_site_rules_and_flags_are_all_documented() -> None:
    told = docs("corpus.md")
    flags = (
        "needs_variant_review",
        "leads_to_document",
        "took_document",
        "rule_kept_block",
        "rule_kept_section",
        "rule_removed_what_binds",
    )
    wanted = [*SiteRules.model_fields, *SiteRules.model_fields["triage"].annotation.model_fields, *ALL_FLAGS, *flags]  # type: ignore[union-attr]
    assert [name for name in wanted if f"`{name}`" not in told] == []


def test_source_set_selects_by_id_agency_or_category() -> None:
    def one(name: str, **more: Any) -> Source:
        fixed = {"name": name, "url": f"https://{name}.example.gov/", "domain": f"{name}.example.gov"}
        kind = {"jurisdiction": "federal", "source_type": "guide", "method": "scrape", "status": "active"}
        return Source.model_validate({"id": name, **fixed, **kind, **more})

    known = [one("a", metadata={"agency": "CFPB"}), one("b", category="hud"), one("c"), one("d")]
    rules = parse_site_rules("sources: {ids: [d], agencies: [cfpb], categories: [hud]}")
    assert rules.sources is not None and rules.sources.select(known) == ["a", "b", "d"]
    for left_out, key, name in (("d", "ids", "d"), ("a", "agencies", "cfpb"), ("b", "categories", "hud")):
        with pytest.raises(UsageError, match=rf"`sources.{key}` of the site rules: no active source: {name}"):
            rules.sources.select([source for source in known if source.id != left_out])
