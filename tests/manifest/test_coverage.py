"""The coverage report: what a manifest is to cover, by which sources, and what nobody collects."""

from __future__ import annotations

from typing import Any

from rori_spiders.manifest.coverage import report_coverage, source_pattern
from tests.manifest.examples import load, source
from tests.support.cases import cases


def hud(source_id: str, status: str = "active", **more: Any) -> dict[str, Any]:
    return source(id=source_id, url=f"https://www.hud.gov/{source_id}/", domain="hud.gov", status=status, **more)


def report(*sources: dict[str, Any], subjects: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
    covered = report_coverage(load(*sources, subjects=subjects).manifest)
    return [(one.name, one.state, [each.id for each in one.sources]) for one in covered]


def test_subject_coverage_active_in_part_or_not() -> None:
    sources = hud("hud-a"), hud("hud-b", "proposed"), hud("hud-c", "paused"), hud("hud-d", "retired")
    subjects = [
        {"name": name, "category": "hud", "sources": ids}
        for name, ids in {
            "one": ["hud-a"],
            "some": ["hud-*"],
            "later": ["hud-b"],
            "stopped": ["hud-c", "hud-d"],
            "over": ["hud-d"],
            "nobody": [],
        }.items()
    ]
    assert report(*sources, subjects=subjects) == [
        ("one", "active", ["hud-a"]),
        ("some", "in part", ["hud-a", "hud-b", "hud-c"]),
        ("later", "proposed", ["hud-b"]),
        ("stopped", "paused", ["hud-c"]),
        ("over", "retired", ["hud-d"]),
        ("nobody", "none", []),
    ]


def test_subject_coverage_is_ordered_by_category() -> None:
    subjects = [{"name": one, "category": one} for one in ("industry_org", "hud", "federal_register", "ecfr")]
    assert [name for name, _, _ in report(hud("a"), subjects=subjects)] == [
        "federal_register",
        "ecfr",
        "hud",
        "industry_org",
    ]


def test_subject_coverage_without_subjects_is_by_category() -> None:
    state = source(id="al", url="https://www.ahfa.com/", domain="ahfa.com", jurisdiction="state:AL", frequency="weekly")
    covered = report_coverage(load(hud("a"), hud("b", "proposed"), state).manifest)
    assert [(one.category, one.state, one.frequencies) for one in covered] == [
        ("hud", "in part", ("weekly",)),
        ("state_agency", "active", ("weekly",)),
    ]


def test_subject_coverage_frequency_of_active_sources() -> None:
    sources = hud("a", frequency="monthly"), hud("b", frequency="daily"), hud("c", "proposed", frequency="biweekly")
    (one,) = report_coverage(load(*sources, subjects=[{"name": "x", "category": "hud", "sources": ["*"]}]).manifest)
    assert one.frequencies == ("daily", "monthly")
    assert [slow.id for slow in one.slower] == ["a"]


def test_source_pattern_of_many_stars_is_matched_in_linear_time() -> None:
    pattern = source_pattern("*".join(["", *["a"] * 40, "b"]))
    assert pattern.fullmatch("a" * 200) is None, "and it ends: each star tried at every place would take years"
    assert pattern.fullmatch("a" * 199 + "b")


@cases(
    ("name", "matched", "other"),
    [
        ("a*", ["a", "ab"], ["ba", ""]),
        ("*a", ["a", "ba"], ["ab"]),
        ("a*b*c", ["abc", "axbxbxc", "abcbc"], ["ab", "acb", "abcx"]),
        ("*ab*ab", ["abab", "ababab"], ["ab", "aab"]),
        ("a.c", ["a.c"], ["abc"]),
        ("**", ["", "x"], []),
    ],
)
def test_source_pattern_stars_stand_for_any_characters(name: str, matched: list[str], other: list[str]) -> None:
    pattern = source_pattern(name)
    assert all(map(pattern.fullmatch, matched)) and not any(map(pattern.fullmatch, other))
