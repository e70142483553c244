"""URLs that a site's lists name outside a source's scope: counted, provable, and found again; none has a row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

_FOREIGN = 300
_ELSEWHERE = "https://elsewhere.example/sitemap.xml"


def _serve(site: Site) -> None:
    """Two folders of one host, and an index of two sitemaps that name them and, both of them, much else."""
    news = [f"/news/{number}" for number in range(_FOREIGN)]
    for name in ("rules", "forms"):
        site.page(f"/{name}/", page(name))
        site.page(f"/{name}/1", page(f"{name} 1"))
    site.sitemap(["/rules/1", "/forms/1", *news, "https://elsewhere.example/a"], at="/one.xml")
    site.sitemap([*reversed(news), "/news/more"], at="/two.xml")
    locs = "".join(
        f"<sitemap><loc>{url}</loc></sitemap>" for url in (site.at("/one.xml"), site.at("/two.xml"), _ELSEWHERE)
    )
    site.page("/sitemap.xml", f"<sitemapindex>{locs}</sitemapindex>", content_type="application/xml")


def _collect(project: Project, site: Site) -> CrawlOutput:
    _serve(site)
    project.manifest([source(name, site.at(f"/{name}/"), "crawl") for name in ("rules", "forms")], delay_s=0.01)
    done = project.scrapy("collect", "--force")
    assert done.returncode == 0, done.stdout + done.stderr
    return CrawlOutput(project)


def _reasons(name: str, *, of_folder: int) -> dict[Reason, int]:
    return {Reason("outside_start_folder", rule=f"/{name}/"): of_folder, Reason("outside_hosts"): 1}


def test_listed_urls_out_of_scope_are_counted_without_rows(project: Project, site: Site, database_url: str) -> None:
    if database_url.startswith("postgresql"):
        project.env["RORI_DATABASE_URL"] = database_url
    left = _collect(project, site)
    assert left.states("rules") == {"/rules/": "captured", "/rules/1": "captured"}
    assert left.urls("rules", "sitemap").keys() == {"/sitemap.xml", "/one.xml", "/two.xml"}
    run = left.last_run("rules")
    # 300 that both sitemaps name, one that the second one adds, and the other source's page.
    assert left.listed(run["run_id"]) == _reasons("rules", of_folder=_FOREIGN + 2)
    left.assert_sums()
    left.assert_verified()
    shown = project.scrapy("runs", "show", run["run_id"]).stdout
    assert f"{_FOREIGN + 5} discovered = 2 captured + {_FOREIGN + 3} excluded" in shown
    assert f"{_FOREIGN + 2}  excluded: {Reason('outside_start_folder', rule='/rules/')}" in shown


def test_listed_urls_are_found_again_with_reason(project: Project, site: Site) -> None:
    left = _collect(project, site)
    before = len(left.rows("SELECT 1 AS one FROM audit"))
    assert project.scrapy("collect", "--force").returncode == 0
    assert len(left.rows("SELECT 1 AS one FROM audit")) == 2 * before
    listed = json.loads(project.scrapy("audit", "--url", site.at("/news/7"), "--format", "json").stdout)
    assert [(row["manifest_id"], row["state"]) for row in listed].count(("rules", "excluded")) == 4  # 2 runs, 2 lists
    assert {row["reason"] for row in listed if row["manifest_id"] == "rules"} == {
        Reason("outside_start_folder", rule="/rules/")
    }
    last = project.scrapy("audit", "--url", _ELSEWHERE, "--kind", "all", "--source", "forms", "--limit", "1")
    assert str(Reason("outside_hosts")) in last.stdout
    assert "No matching audit rows" in project.scrapy("audit", "--url", site.at("/news/nowhere")).stdout


def test_listed_urls_are_not_counted_twice_on_resume(project: Project, site: Site) -> None:
    left = _collect(project, site)
    run_id = left.last_run("rules")["run_id"]
    counted = left.rows("SELECT sum(urls) AS urls FROM list_exclusions WHERE run_id = ?", run_id)
    # As if the job had been killed before the second sitemap was recorded.
    left.change("UPDATE runs SET state = 'partial', finished_at = NULL WHERE run_id = ?", run_id)
    left.change("UPDATE run_urls SET state = 'pending' WHERE run_id = ? AND url = ?", run_id, site.at("/two.xml"))
    left.change("DELETE FROM list_exclusions WHERE run_id = ? AND list_url = ?", run_id, site.at("/two.xml"))
    assert project.scrapy("collect", "--source", "rules").returncode == 0
    assert left.last_run("rules")["run_id"] == run_id
    assert left.rows("SELECT sum(urls) AS urls FROM list_exclusions WHERE run_id = ?", run_id) == counted
    assert left.last_run("rules")["state"] == "complete"


def test_listed_urls_changed_count_and_missing_list_are_found_by_verify(project: Project, site: Site) -> None:
    left = _collect(project, site)
    run_id = left.last_run("rules")["run_id"]
    of_folder = "WHERE run_id = ? AND reason_code = 'outside_start_folder' AND list_url LIKE '%/one.xml'"
    left.change(f"UPDATE list_exclusions SET urls = urls - 1 {of_folder}", run_id)
    assert _findings(project) == {"fact_changed", "list_audit", "list_sum", "run_sum"}
    left.change(f"UPDATE list_exclusions SET urls = urls + 1 {of_folder}", run_id)
    assert _findings(project) == set()
    (row,) = left.rows(f"SELECT list_object FROM list_exclusions {of_folder}", run_id)
    for file in project.staging.rglob(f"*{row['list_object'][4:]}*"):
        file.unlink()
    assert _findings(project) == {"list_object", "object_missing"}


def _findings(project: Project) -> set[str]:
    return {one["kind"] for one in json.loads(project.scrapy("verify", "--format", "json").stdout)}
