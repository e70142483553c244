"""A page that lost most of its text is held; a person accepts it; then it is as if its run had staged it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawl_output import path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    import subprocess

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

NO_SITEMAP: dict[str, Any] = {"scrape_config": {"sitemaps": []}}
WHY = "the chapter was split in two"


def collect(project: Project, code: int = 0) -> None:
    done = project.scrapy("collect", "--force", env={"RORI_OPERATOR": "system"})
    assert done.returncode == code, done.stdout + done.stderr


def accept(project: Project, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = project.scrapy("runs", "accept", *args)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def short(title: str, text: str = "It is short now.") -> str:
    """What is left of a page: a quarter of its text, and no sign of anything else."""
    whole = page(title)
    return f"{whole[: whole.index('<p>') + 300]} {text}</p></main></body></html>"


def shrunk_start(site: Site, project: Project, crawl_output: CrawlOutput) -> str:
    """A source of one page, which has shrunk: the id of the run that holds it."""
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    collect(project)
    site.page("/", short("Start"), validators=True)
    collect(project, 1)
    return str(crawl_output.last_run("a")["run_id"])


def test_accept_held_pages_are_staged_then_unchanged(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    run = shrunk_start(site, project, crawl_output)
    assert crawl_output.last_run("a")["reason_code"] == "start_failed"
    [before] = crawl_output.envelopes()
    shown = project.scrapy("runs", "show", run).stdout
    assert f"scrapy runs accept {run} --url {site.at('/')} --reason TEXT" in shown
    [review] = json.loads(project.scrapy("sources", "--review", "--format", "json").stdout)
    assert f"scrapy runs accept {run} --reason" in review["to_do"]

    answer = accept(project, run, "--reason", WHY)
    assert f"accepted      {site.at('/')}: 127." in answer.stdout
    assert "1 of 1 pages accepted" in answer.stdout

    crawl_output.assert_verified()
    first, second = crawl_output.envelopes()
    assert first == before
    [held] = crawl_output.rows("SELECT * FROM audit WHERE run_id = ? AND state = 'failed' AND kind = 'page'", run)
    [row] = crawl_output.rows("SELECT * FROM audit WHERE run_id = ? AND state = 'captured' AND kind = 'page'", run)
    assert second["integrity"]["change_type"] == "modified"
    assert second["integrity"]["previous_content_hash"] == first["integrity"]["content_hash"]
    assert second["integrity"]["raw_hash"] == f"sha256:{held['raw_hash']}"
    assert "It is short now." in second["content"]["body"]
    assert second["scrape"]["timestamp"][:19] == held["timestamp"][:19]
    assert second["scrape"] | {"timestamp": "", "response_time_ms": 0} == first["scrape"] | {
        "timestamp": "",
        "response_time_ms": 0,
    }
    assert second["audit"] | {"operator": ""} == {
        "scrape_run_id": run,
        "scheduler_job_id": crawl_output.last_run("a")["job_id"],
        "operator": "",
        "environment": "development",
    }
    assert second["audit"]["operator"] == "manual"
    assert row["timestamp"] == held["timestamp"]
    assert row["staged_path"] == crawl_output.index()[1]["path"]
    assert (row["verdict"], row["http_status"], row["credits_consumed"]) == ("content", 200, 0)

    last = crawl_output.last_run("a")
    assert (last["run_id"], last["state"], last["reason"]) == (run, "complete", None)
    assert {name: json.loads(last["counts"])[name] for name in ("captured", "failed", "changed")} == {
        "captured": 1,
        "failed": 0,
        "changed": 1,
    }
    [state] = crawl_output.rows("SELECT * FROM source_state")
    assert (state["failures_in_row"], state["last_checked_at"]) == (0, last["finished_at"])
    [action] = crawl_output.rows("SELECT * FROM actions WHERE action = 'accept'")
    assert (action["target"], action["reason"]) == (run, WHY)
    assert action["actor"] and action["at"] > last["finished_at"]
    assert json.loads(action["details"])["path"] == row["staged_path"]
    assert project.scrapy("sources", "--review").stdout == "Nothing to review.\n"
    audited = json.loads(project.scrapy("audit", "--format", "json").stdout)
    [detail] = [one["reason_detail"] for one in audited if one["reason_code"] == "accepted"]
    assert (detail["actor"], detail["note"], detail["before"]) == (action["actor"], WHY, "suspect")
    shown = project.scrapy("runs", "show", run).stdout
    assert f"by {action['actor']}: {WHY}" in shown and "Held for review" not in shown and "Changes:" in shown
    assert crawl_output.errors()[-1]["resolved"] is True

    again = accept(project, run, "--reason", WHY, code=2)
    assert "holds nothing to accept: 1 page of it was accepted before. No run holds pages for review." in again.stderr
    site.log.clear()
    collect(project)
    assert crawl_output.states("a") == {"/": "unchanged"}
    assert [hit.status for hit in site.log.hits("/")] == [304]
    assert len(crawl_output.envelopes()) == 2
    crawl_output.assert_verified()


def test_accept_of_one_page_then_of_the_rest(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    paths = ("/a", "/b", "/c")
    site.page("/", page("Start", *paths, "/d"))
    for path in (*paths, "/d"):
        site.page(path, page(f"Page {path}", "/deep"))
    site.page("/c", page("Page /c", "/deep", text="A long rule. " * 20_000))
    site.page("/deep", page("Deep"))
    project.manifest([source("a", site.at("/"), "crawl", **NO_SITEMAP)], delay_s=0.02)
    collect(project)
    for path in paths:
        site.page(path, short(f"Page {path}"))
    site.page("/c", short("Page /c", "A long rule. " * 6_000))  # so large that a process converts it
    collect(project)  # three of six failed: it is complete
    run = crawl_output.last_run("a")["run_id"]
    assert crawl_output.in_state("a", "failed") == set(paths)
    shown = json.loads(project.scrapy("runs", "show", run, "--format", "json").stdout)
    assert list(map(path_of, shown["held"])) == list(paths)

    accept(project, run, "--url", site.at("/b"), "--reason", WHY)
    crawl_output.assert_verified()
    assert crawl_output.in_state("a", "failed") == {"/a", "/c"}
    [review] = json.loads(project.scrapy("sources", "--review", "--format", "json").stdout)
    assert {path_of(url) for url in review["pages"]} == {"/a", "/c"}
    answer = accept(project, run, "--url", site.at("/b"), "--reason", WHY, code=2)
    assert f"does not hold {site.at('/b')}. Held pages:\n  {site.at('/a')}\n  {site.at('/c')}\n" in answer.stderr

    assert "2 of 2 pages accepted" in accept(project, run, "--reason", WHY).stdout
    crawl_output.assert_verified()
    assert crawl_output.in_state("a", "failed") == set()
    assert crawl_output.last_run("a")["state"] == "complete"
    modified = [
        one["source"]["url"] for one in crawl_output.envelopes() if one["integrity"]["change_type"] == "modified"
    ]
    assert sorted(map(path_of, modified)) == list(paths)
    [links] = crawl_output.rows(
        "SELECT count(*) AS number FROM page_links JOIN pages USING (page_id) WHERE pages.url = ?", site.at("/b")
    )
    assert links["number"] == 0  # what is left of the page names none
    collect(project)
    assert crawl_output.states("a") == dict.fromkeys(("/", *paths, "/d", "/deep"), "unchanged")


def test_accept_does_not_replace_newer_capture(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    run = shrunk_start(site, project, crawl_output)
    site.page("/", page("Start"))
    collect(project)
    answer = accept(project, run, "--reason", WHY, code=1)
    assert "it was fetched again on" in answer.stdout and "0 of 1 pages accepted" in answer.stdout
    site.page("/", page("Start, amended"))
    collect(project)
    assert "a newer version of it was captured on" in accept(project, run, "--reason", WHY, code=1).stdout
    assert len(crawl_output.envelopes()) == 2
    crawl_output.assert_verified()


def test_accept_page_held_in_two_runs_is_accepted_in_both(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    first = shrunk_start(site, project, crawl_output)
    collect(project, 1)
    second = crawl_output.last_run("a")["run_id"]
    accept(project, first, "--reason", WHY)
    assert len(json.loads(project.scrapy("sources", "--review", "--format", "json").stdout)) == 1
    answer = accept(project, second, "--reason", WHY)
    assert "text unchanged" in answer.stdout
    assert project.scrapy("sources", "--review").stdout == "Nothing to review.\n"
    assert crawl_output.states("a") == {"/": "unchanged"}
    assert [one["integrity"]["change_type"] for one in crawl_output.envelopes()] == ["new", "modified"]
    crawl_output.assert_verified()


def test_accept_impossible_is_reported(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    assert "nothing collected yet" in accept(project, "nope", "--reason", WHY, code=2).stderr
    run = shrunk_start(site, project, crawl_output)
    listed = f"Runs with held pages:\n  {run}  a, 1 page\n"
    assert f"unknown run 'nope'. {listed}" in accept(project, "nope", "--reason", WHY, code=2).stderr
    assert "required: ID, --reason" in accept(project, code=2).stderr
    assert "required: --reason" in accept(project, run, code=2).stderr
    assert "--reason must not be empty" in accept(project, run, "--reason", " ", code=2).stderr
    crawl_output.change("UPDATE leases SET owner = 'here:1:other', expires_at = '2999-01-01T00:00:00.000000Z'")
    assert "is held by here:1:other" in accept(project, run, "--reason", WHY, code=1).stderr
    crawl_output.change("UPDATE leases SET owner = NULL, expires_at = NULL")
    crawl_output.change("UPDATE runs SET state = 'running' WHERE run_id = ?", run)
    assert "is in progress, or its job died" in accept(project, run, "--reason", WHY, code=2).stderr
    crawl_output.change("UPDATE runs SET state = 'failed' WHERE run_id = ?", run)
    project.manifest([source("another", site.at("/"))], delay_s=0.02)
    assert (
        "the source of the run, 'a', is not in the active manifest"
        in accept(project, run, "--reason", WHY, code=2).stderr
    )
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    [held] = crawl_output.rows("SELECT raw_hash FROM audit WHERE state = 'failed'")
    object_file = project.staging / "_objects" / held["raw_hash"][:2] / f"{held['raw_hash']}.gz"
    object_file.rename(object_file.with_suffix(".away"))
    assert "its bytes are no longer in the staging area" in accept(project, run, "--reason", WHY, code=1).stdout
    object_file.with_suffix(".away").rename(object_file)
    crawl_output.change("DELETE FROM actions WHERE action = 'hold'")
    assert "the next run will hold it again" in accept(project, run, "--reason", WHY, code=1).stdout
    assert len(crawl_output.envelopes()) == 1
    crawl_output.assert_verified(but=frozenset({"fact_missing"}))  # the action that was removed


def test_accept_does_not_complete_run_with_truncated_sitemap(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    entry = f"<url><loc>{site.at('/1')}</loc></url><url><loc>{site.at('/2')}"
    site.page(
        "/sitemap.xml", f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entry}', content_type="text/xml"
    )
    site.page("/", page("Start", "/1", "/2"))
    for path in ("/1", "/2"):
        site.page(path, page(f"Page {path}"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    collect(project, 1)
    for path in ("/1", "/2"):
        site.page(path, short(f"Page {path}"), validators=True)
    collect(project, 1)
    run = crawl_output.last_run("a")
    assert run["state"] == "failed"
    accept(project, run["run_id"], "--reason", WHY)
    assert crawl_output.in_state("a", "captured") >= {"/1", "/2"}
    run = crawl_output.last_run("a")
    assert (run["state"], run["reason_code"]) == ("incomplete", "lists_unread")


def test_accept_page_that_reads_like_a_wall_is_held_then_staged(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    notice = "<!DOCTYPE html><html lang=en><title>Notice</title><main><h1>Notice</h1>{}</main></html>"
    site.page(
        "/",
        notice.format(
            "<p>Call 555-0102, weekdays from nine to noon, for the status of a loan or of its papers. Have the "
            "number of the loan and the name of the county at hand when you call.</p>"
        ),
    )
    project.manifest([source("a", site.at("/"), scrape_config={"min_content_chars": 20})], delay_s=0.02)
    collect(project)
    doubtful = "<h2>The filing system of the county is offline</h2><p>Call 555-0102 from nine to noon, for a loan.</p>"
    site.page("/", notice.format(doubtful), validators=True)
    collect(project, 1)
    state, reason = crawl_output.urls("a")["/"]
    assert (state, reason.code) == ("failed", "doubtful")
    assert "reads like a block or login page (rule: doubt-is-closed)" in str(reason)
    assert len(crawl_output.envelopes()) == 1
    run = str(crawl_output.last_run("a")["run_id"])
    accept(project, run, "--reason", "the system is closed for good")
    assert "offline" in crawl_output.envelopes()[1]["content"]["body"]
    crawl_output.assert_verified()
