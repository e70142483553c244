"""`scrapy tiers`, and manifests that name tiers which are not here: refused, or valid with a warning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]

NO_CHROMIUM = {"RORI_CHROMIUM": "/nowhere/chromium"}
URL = "https://www.hud.gov/"


@pytest.fixture(autouse=True)
def _with_a_browser(project: Project) -> None:
    project.env["RORI_TIERS"] = "official,mediawiki,http,browser"


def listed(typed: Typed, *args: str, code: int = 0, **env: str) -> dict[str, dict[str, Any]]:
    done = typed("tiers", "--format", "json", *args, env=env)
    assert done.code == code, done.err
    return {row["name"]: row for row in json.loads(done.out)}


def test_tiers_are_listed_in_tier_order(project: Project, typed: Typed) -> None:
    rows = listed(typed, RORI_TIERS="http,official")
    assert list(rows)[:2] == ["http", "official"]
    assert [rows[name]["order"] for name in ("http", "official")] == [1, 2]
    assert {"mediawiki", "browser", "zyte"} <= {name for name, row in rows.items() if not row["configured"]}
    assert all(row["about"] for row in rows.values())
    assert not project.ledger.exists()


def test_tiers_missing_requirement_names_remedy(typed: Typed) -> None:
    rows = listed(typed, code=1, **NO_CHROMIUM)
    assert rows["browser"]["order"] is None
    assert (rows["browser"]["configured"], rows["browser"]["ready"]) == (True, False)
    assert "apt-get install chromium" in rows["browser"]["missing"]
    assert rows["http"]["missing"] is None
    shown = typed("tiers", env=NO_CHROMIUM).out
    assert shown.count("apt-get install chromium") == 1
    assert ": met" not in shown


def test_tiers_check_reports_working_tiers(project: Project) -> None:
    done = project.scrapy("tiers", "--format", "json", "--check", env=NO_CHROMIUM)  # a crawl: in a process of its own
    assert done.returncode == 1, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert {rows[name]["health"] for name in ("official", "mediawiki", "http")} == {"works"}
    assert rows["browser"]["health"] == "fails"
    assert "is missing" in rows["browser"]["detail"]


@pytest.mark.parametrize("command", [("tiers",), ("collect",), ("manifest", "validate")])
def test_collect_unknown_tier_is_refused_with_known_ones(project: Project, command: tuple[str, ...]) -> None:
    project.manifest([source("hud", URL)])
    done = project.scrapy(*command, env={"RORI_TIERS": "http,browzer"})
    assert done.returncode == 2
    assert "'http,browzer'; it must be any of official, mediawiki, http, browser, zyte" in done.stdout + done.stderr


def manifest(project: Project, **config: Any) -> Path:
    return project.manifest([source("hud", URL, scrape_config=config), source("fhfa", "https://www.fhfa.gov/")])


@pytest.mark.parametrize(
    ("config", "where"),
    [
        ({"tiers": ["browser"]}, "tiers: none of browser is configured"),
        ({"tiers": ["zyte", "browser"]}, "tiers: none of zyte, browser is configured"),
        ({"render": "always", "browser_budget": 5}, 'render: "always" requires the browser tier'),
    ],
)
def test_collect_source_without_tier_is_refused(
    project: Project, typed: Typed, config: dict[str, Any], where: str
) -> None:
    done = typed("manifest", "validate", str(manifest(project, **config)), env={"RORI_TIERS": "mediawiki,http"})
    assert done.code == 2
    said = done.out + done.err
    assert f"source 'hud' (sources[0]): $.sources[0].scrape_config.{where}" in said
    assert "Configured here (RORI_TIERS): mediawiki, http" in said


@pytest.mark.parametrize("command", [("manifest", "activate", "manifest.json"), ("collect", "--source", "fhfa")])
def test_collect_refused_tier_activates_and_requests_nothing(project: Project, command: tuple[str, ...]) -> None:
    manifest(project, tiers=["browser"])
    done = project.scrapy(*command, env={"RORI_TIERS": "http"})
    assert done.returncode == 2
    assert "none of browser is configured" in done.stdout + done.stderr
    assert not project.ledger.exists()


def test_manifest_unknown_tier_is_refused_with_known_ones(project: Project, typed: Typed) -> None:
    done = typed("manifest", "validate", str(manifest(project, tiers=["browzer"])))
    assert done.code == 2
    assert "official, mediawiki, http, browser, zyte, firecrawl, crawl4ai, scrapingant" in (
        done.out + done.err
    ).replace('"', "")


def test_manifest_tiers_leaving_none_are_refused(project: Project, typed: Typed) -> None:
    path = project.manifest(
        [source("hud", URL, scrape_config={"tiers": ["http"]})], domains={"hud.gov": {"tiers": ["browser"]}}
    )
    done = typed("manifest", "validate", str(path))
    assert done.code == 2
    assert "www.hud.gov allows only browser, which excludes http" in done.out + done.err


@pytest.mark.parametrize("tiers", [["browser"], ["http", "browser"]])
def test_manifest_is_valid_without_chromium(project: Project, typed: Typed, tiers: list[str]) -> None:
    done = typed("manifest", "validate", str(manifest(project, tiers=tiers)), env=NO_CHROMIUM)
    assert done.code == 0, done.err
    assert "valid." in done.out
    assert "warning: source 'hud': tier browser is not available: Chromium" in done.err
    assert "Available tiers: official, mediawiki, http" in done.err


def test_collect_available_tiers_are_not_mentioned(project: Project, typed: Typed) -> None:
    done = typed("manifest", "validate", str(manifest(project, tiers=["http", "mediawiki"])))
    assert (done.code, done.err) == (0, "")


def test_collect_dry_run_prints_cost(project: Project) -> None:
    manifest(project, render="always", browser_budget=3)
    done = project.scrapy("collect", "--dry-run", "--force", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = {row["id"]: row for row in json.loads(done.stdout)}
    assert (rows["hud"]["tiers"], rows["hud"]["browser_pages"], rows["hud"]["credits"]) == ("browser", 1, 0)
    assert (rows["fhfa"]["tiers"], rows["fhfa"]["browser_pages"]) == ("http > browser", "unknown")
    table = project.scrapy("collect", "--dry-run", "--force")
    assert (
        "Total, estimated from the last runs: 2 pages, 1 rendered by the browser (1 source unknown), 0 credits."
        in table.stdout
    )
