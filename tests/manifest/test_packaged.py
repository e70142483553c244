"""The manifests that come with the package say what is known of their sources, and activate nothing doubtful."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.coverage import report_coverage
from rori_spiders.manifest.loading import load_packaged
from rori_spiders.manifest.scope import Scope, pattern_warnings
from rori_spiders.manifest.vocabulary import DEFAULT_FREQUENCIES
from rori_spiders.reasons import Reason
from rori_spiders.urls import canonical

if TYPE_CHECKING:
    from rori_spiders.manifest.models import Source

FTHB = load_packaged("fthb").manifest
WIKIS = load_packaged("wikis").manifest


def source(source_id: str) -> Source:
    return next(one for one in FTHB.sources if one.id == source_id)


def test_packaged_manifest_has_all_sources_of_seed() -> None:
    assert len(FTHB.sources) == 199 + 8  # and a source for each part of the CFR with rules of HUD, VA, USDA, FHFA
    assert FTHB.vertical == "fthb"
    by_state = Counter(one.jurisdiction for one in FTHB.sources if one.jurisdiction.startswith("state:"))
    assert len(by_state) == 51
    assert sum(one.jurisdiction == "national" for one in FTHB.sources) == 8


#: What first-time homebuyers' lenders answer to (S0).
PARTS = {
    7: ("3550", "3555"),
    12: ("1002", "1003", "1006", "1008", "1014", "1022", "1024", "1026", "1282"),
    24: ("92", "100", "203", "214"),
    38: ("36",),
}


def test_packaged_manifest_each_part_of_law_is_active_through_api() -> None:
    for title, parts in PARTS.items():
        for part in parts:
            one = source(f"ecfr-api-{title}-cfr-{part}")
            assert (one.status, one.url) == ("active", f"https://www.ecfr.gov/current/title-{title}/part-{part}")


def test_packaged_manifest_rules_of_each_part_are_active_through_api() -> None:
    ranges: dict[str, list[range]] = {}
    for one in FTHB.sources:
        if one.id.startswith("fr-api-") and one.status == "active":
            said = parse_qs(urlsplit(one.url).query)
            assert said["conditions[agencies][]"] and said["conditions[publication_date][gte]"]
            if said["conditions[type][]"] == ["RULE"]:
                first, _, last = said["conditions[cfr][part]"][0].partition("-")
                found = ranges.setdefault(said["conditions[cfr][title]"][0], [])
                found.append(range(int(first), int(last or first) + 1))
    for title, parts in PARTS.items():
        for part in parts:
            assert sum(int(part) in one for one in ranges[str(title)]) == 1, (title, part)


def test_packaged_manifest_each_crawl_is_bounded_with_expectation() -> None:
    for one in FTHB.sources:
        if one.status not in {"active", "proposed"}:
            continue
        config = one.scrape_config
        is_list = one.id.startswith(("ecfr-api-", "fr-api-"))  # what the publisher's list names is the scope
        if one.method == "crawl" or is_list:
            assert config.max_pages and config.max_pages <= 1500, one.id
            assert is_list or (config.include_patterns and config.max_depth is not None), one.id
        if one.status == "active":
            assert config.expect is not None and config.expect.must_contain and config.expect.why, one.id


def test_packaged_manifest_has_no_warning() -> None:
    assert [*pattern_warnings(Catalog([load_packaged("fthb")]))] == []


def test_packaged_manifest_proposed_and_retired_sources_have_notes() -> None:
    for one in FTHB.sources:
        notes = one.metadata.notes or ""
        if one.status == "proposed":
            assert f"scrapy manifest activate-source {one.id}" in notes, one.id
        if one.status in {"paused", "retired"}:
            assert len(notes) > 40, one.id


def test_packaged_manifest_each_subject_is_covered_or_explained() -> None:
    covered = report_coverage(FTHB)
    assert {one.category for one in covered} == set(DEFAULT_FREQUENCIES)
    for one in covered:
        assert one.sources, one.name
        assert one.state == "active" or one.why, one.name
    states = {category: {one.state for one in covered if one.category == category} for category in DEFAULT_FREQUENCIES}
    assert states["ecfr"] == states["federal_register"] == {"active"}
    assert states["gse_guide"] == {"proposed"}
    assert {one.effective_frequency for one in FTHB.sources if one.effective_category == "state_agency"} == {"monthly"}


def test_packaged_manifest_uncertain_sources_are_not_collected() -> None:
    for one in FTHB.sources:
        notes = one.metadata.notes or ""
        unsure = one.metadata.corroboration_status == "unverified" or "confirm" in notes.lower() or "terms" in notes
        assert not (unsure and one.status == "active"), one.id
        if canonical.host_of(one.url) == "guide.freddiemac.com":
            assert one.status == "proposed"


def test_packaged_manifest_ecfr_and_federal_register_are_api_only() -> None:
    catalog = Catalog([load_packaged("fthb"), load_packaged("wikis")])
    for host in ("www.ecfr.gov", "www.federalregister.gov"):
        assert catalog.rules(host).tiers == ("official", "http")
        assert catalog.group(host) == "federalregister.gov"
    assert catalog.rules("www.hud.gov").tiers is None


def test_packaged_manifest_patterns_are_globs() -> None:
    for one in FTHB.sources:
        for pattern in (*one.scrape_config.include_patterns, *one.scrape_config.exclude_patterns):
            assert not set(pattern) & set("\\^$()[]|"), (one.id, pattern)


def _excludes(source_id: str, url: str) -> Reason | None:
    return Scope(source(source_id)).excludes(url, 1)


def test_packaged_manifest_patterns_equal_seed_expressions() -> None:
    reg_x = "https://www.consumerfinance.gov/rules-policy/regulations"
    assert _excludes("cfpb-reg-1024", f"{reg_x}/1024/5/") is None
    assert _excludes("cfpb-reg-1024", f"{reg_x}/1026/5/") == Reason("outside_include_patterns")
    assert _excludes("cfpb-reg-1024", f"{reg_x}/1024/5/?print") == Reason("exclude_pattern", rule="*?*")
    assert _excludes("cfpb-reg-1024", f"{reg_x}/1024/search/x") == Reason("exclude_pattern", rule="/search/*")
    assert _excludes("hud-handbook-4000-1", "https://www.hud.gov/sites/documents/4000.1hsgh.pdf") is None
    assert _excludes("hud-handbook-4000-1", "https://www.hud.gov/sites/documents/4155.pdf") == Reason(
        "outside_include_patterns"
    )
    assert _excludes("va-circulars", "https://www.benefits.va.gov/HOMELOANS/documents/circulars/26-20-12.pdf") is None
    for path in ("homebuyers", "Home-Buyers", "FirstTimeHomebuyer/x", "down-payment-assistance", "PROGRAMS.aspx"):
        assert _excludes("hfa-al", f"https://www.ahfa.com/{path}") is None
    for path in ("programs/multifamily", "homebuyers/LIHTC", "programs/Login.aspx", "mortgage/careers"):
        excluded = _excludes("hfa-al", f"https://www.ahfa.com/{path}")
        assert excluded is not None and excluded.code == "exclude_pattern"
    assert _excludes("hfa-al", "https://www.ahfa.com/rental") == Reason("outside_include_patterns")


def test_packaged_manifest_wikis_have_api_and_terms() -> None:
    catalog = Catalog([load_packaged("wikis")])
    assert [one.method for one in WIKIS.sources] == ["mediawiki"] * 3
    for one in WIKIS.sources:
        assert catalog.api_url(one.host) == f"https://{one.host}/api.php"
        assert one.scrape_config.mediawiki is not None
        assert one.scrape_config.mediawiki.titles
        assert "before activating" in (one.metadata.notes or "")
        assert one.status == "proposed"


def test_fthb_collects_no_page_of_hud_or_the_cfpb_less_often_than_the_specification_says() -> None:
    covered = [one for one in report_coverage(FTHB) if one.category in {"federal_register", "cfpb", "ecfr", "hud"}]
    assert [slow.id for one in covered for slow in one.slower] == []
