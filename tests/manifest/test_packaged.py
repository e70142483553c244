"""The manifests that come with the package say what is known of their sources, and activate nothing doubtful."""

from __future__ import annotations

from collections import Counter

from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import load_packaged
from rori_spiders.manifest.scope import Scope
from rori_spiders.reasons import Reason
from rori_spiders.urls import canonical

FTHB = load_packaged("fthb").manifest
WIKIS = load_packaged("wikis").manifest


def test_all_sources_of_the_seed_are_there() -> None:
    assert len(FTHB.sources) == 199
    assert FTHB.vertical == "fthb"
    by_state = Counter(one.jurisdiction for one in FTHB.sources if one.jurisdiction.startswith("state:"))
    assert len(by_state) == 51
    assert sum(one.jurisdiction == "national" for one in FTHB.sources) == 8


def test_what_is_unsure_is_not_collected() -> None:
    for one in FTHB.sources:
        notes = one.metadata.notes or ""
        unsure = one.metadata.corroboration_status == "unverified" or "confirm" in notes.lower() or "terms" in notes
        assert not (unsure and one.status == "active"), one.id
        if canonical.host_of(one.url) == "guide.freddiemac.com":
            assert one.status == "proposed"


def test_the_fence_around_ecfr_and_federal_register() -> None:
    catalog = Catalog([load_packaged("fthb"), load_packaged("wikis")])
    for host in ("www.ecfr.gov", "www.federalregister.gov"):
        assert catalog.rules(host).tiers == ("official", "http")
        assert catalog.group(host) == "federalregister.gov"
    assert catalog.rules("www.hud.gov").tiers is None


def test_patterns_are_globs_now() -> None:
    for one in FTHB.sources:
        for pattern in (*one.scrape_config.include_patterns, *one.scrape_config.exclude_patterns):
            assert not set(pattern) & set("\\^$()[]|"), (one.id, pattern)


def _excludes(source_id: str, url: str) -> Reason | None:
    return Scope(next(one for one in FTHB.sources if one.id == source_id)).excludes(url, 1)


def test_patterns_accept_and_refuse_what_the_seeds_expressions_did() -> None:
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


def test_the_wikis_have_an_api_and_name_their_terms() -> None:
    catalog = Catalog([load_packaged("wikis")])
    assert [one.method for one in WIKIS.sources] == ["mediawiki"] * 3
    for one in WIKIS.sources:
        assert catalog.api_url(one.host) == f"https://{one.host}/api.php"
        assert one.scrape_config.mediawiki is not None
        assert one.scrape_config.mediawiki.titles
        assert "before activating" in (one.metadata.notes or "")
        assert one.status == "proposed"
