"""Differences between two versions, as a reviewer reads them."""

from __future__ import annotations

from rori_spiders.manifest.versions import ManifestDifference, diff_manifests
from tests.manifest.examples import load, source


def test_manifest_diff_equal() -> None:
    assert diff_manifests(load().manifest, load().manifest) == []
    assert diff_manifests(load().manifest, load(source(description=None, scrape_config={})).manifest) == []


def test_manifest_diff_order_of_sources_is_ignored() -> None:
    one, two = source(), source(id="b")
    assert diff_manifests(load(one, two).manifest, load(two, one).manifest) == []


def test_manifest_diff_by_source_and_field() -> None:
    old = load(
        source(frequency="weekly", scrape_config={"max_depth": 2, "include_patterns": ["/a/*", "/b/*"]}),
        source(id="gone"),
    )
    new = load(
        source(
            frequency="daily",
            citation="12 CFR 1024",
            scrape_config={"max_depth": 3, "include_patterns": ["/b/*", "/c/*"]},
        ),
        source(id="fresh", status="proposed"),
        version="1.1.0",
    )
    found = diff_manifests(old.manifest, new.manifest)
    assert [str(one) for one in found] == [
        'version: "1.0.0" -> "1.1.0"',
        'source cfpb-reg-x: citation: added "12 CFR 1024"',
        'source cfpb-reg-x: frequency: "weekly" -> "daily"',
        'source cfpb-reg-x: scrape_config.include_patterns: + "/c/*", - "/a/*"',
        "source cfpb-reg-x: scrape_config.max_depth: 2 -> 3",
        f"source fresh: added (CFPB Regulation X, {source()['url']}, proposed)",
        f"source gone: removed (CFPB Regulation X, {source()['url']}, active)",
    ]
    assert found[2] == ManifestDifference("changed", "cfpb-reg-x", "frequency", "weekly", "daily")


def test_manifest_diff_of_manifest_fields() -> None:
    old = load(domains={"hud.gov": {"delay_s": 3}})
    new = load(domains={"hud.gov": {"delay_s": 5}, "va.gov": {}}, vertical="fthb")
    assert [str(one) for one in diff_manifests(old.manifest, new.manifest)] == [
        'vertical: added "fthb"',
        "domains.hud.gov.delay_s: 3.0 -> 5.0",
        "domains.va.gov: added an object",
    ]


def test_manifest_diff_changed_default_is_shown_at_sources() -> None:
    old = load(source(), source(id="own", scrape_config={"max_depth": 1}), defaults={"max_depth": 2})
    new = load(source(), source(id="own", scrape_config={"max_depth": 1}), defaults={"max_depth": 4})
    assert [str(one) for one in diff_manifests(old.manifest, new.manifest)] == [
        "defaults.max_depth: 2 -> 4",
        "source cfpb-reg-x: scrape_config.max_depth: 2 -> 4",
    ]


def test_manifest_diff_removed_value_and_other_order() -> None:
    old = load(source(citation="x", scrape_config={"tiers": ["http", "browser"]}))
    new = load(source(scrape_config={"tiers": ["browser", "http"]}))
    assert [str(one) for one in diff_manifests(old.manifest, new.manifest)] == [
        'source cfpb-reg-x: citation: removed "x"',
        "source cfpb-reg-x: scrape_config.tiers: another order",
    ]


def test_manifest_diff_subjects_are_matched_by_name() -> None:
    kept, old, new = ({"name": name, "category": "hud"} for name in ("Letters", "Limits", "Handbook"))
    (said,) = diff_manifests(load(subjects=[kept, old]).manifest, load(subjects=[kept, new]).manifest)
    assert str(said) == 'subjects: + "Handbook", - "Limits"'
