"""Sitemaps of a host: requested once by a job for all of its sources, conditionally by the next job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

_NAMES = ("forms", "rules", "guides")
_XML = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


def _sitemap(site: Site, *paths: str) -> str:
    return _XML.format("".join(f"<url><loc>{site.at(path)}</loc></url>" for path in paths))


def _serve(project: Project, site: Site, *, validators: bool = True) -> None:
    for name in _NAMES:
        for path in (f"/{name}/", f"/{name}/1"):
            site.page(path, page(path))
    named = _sitemap(site, *(f"/{name}/1" for name in _NAMES))
    site.page("/sitemap.xml", named, validators=validators, content_type="application/xml")
    project.manifest([source(name, site.at(f"/{name}/"), "crawl") for name in _NAMES], delay_s=0.01)


def _collect(project: Project) -> None:
    done = project.scrapy("collect", "--force")
    assert done.returncode == 0, done.stdout + done.stderr


def _codes(left: CrawlOutput) -> list[str]:
    """The reason codes of the sitemap's rows in each source's last run."""
    runs = [left.last_run(name)["run_id"] for name in _NAMES]
    query = "SELECT reason_code FROM audit WHERE kind = 'sitemap' AND run_id = ?"
    return [row["reason_code"] for run_id in runs for row in left.rows(query, run_id)]


def test_shared_sitemap_is_requested_once_a_job_and_conditionally_by_next(
    project: Project, site: Site, crawl_output: CrawlOutput
) -> None:
    _serve(project, site)
    for number in (1, 2):
        _collect(project)
        assert len(site.log.hits("/sitemap.xml")) == number
        for name in _NAMES:
            assert crawl_output.states(name).keys() == {f"/{name}/", f"/{name}/1"}
        codes = _codes(crawl_output)
        assert codes.count("list_shared") == 2 and codes.count("captured" if number == 1 else "not_modified") == 1
    assert [hit.status for hit in site.log.hits("/sitemap.xml")] == [200, 304]
    objects = crawl_output.rows("SELECT DISTINCT raw_hash FROM audit WHERE kind = 'sitemap'")
    assert len(objects) == 1
    crawl_output.assert_sums()
    crawl_output.assert_verified()


def test_shared_sitemap_changed_is_read_by_all(project: Project, site: Site, crawl_output: CrawlOutput) -> None:
    _serve(project, site)
    _collect(project)
    for name in _NAMES:
        site.page(f"/{name}/2", page(f"{name} 2"))
    site.set("/sitemap.xml", _sitemap(site, *(f"/{name}/{number}" for name in _NAMES for number in (1, 2))))
    _collect(project)
    for name in _NAMES:
        assert f"/{name}/2" in crawl_output.in_state(name, "captured")
    assert [hit.status for hit in site.log.hits("/sitemap.xml")] == [200, 200]


def test_shared_sitemap_with_lost_bytes_is_requested_whole(
    project: Project, site: Site, crawl_output: CrawlOutput
) -> None:
    _serve(project, site)
    _collect(project)
    (row,) = crawl_output.rows("SELECT DISTINCT raw_hash FROM audit WHERE kind = 'sitemap'")
    for file in project.staging.rglob(f"*{row['raw_hash'][4:]}*"):
        file.unlink()
    _collect(project)
    assert [hit.status for hit in site.log.hits("/sitemap.xml")] == [200, 200]
    assert crawl_output.states("forms").keys() == {"/forms/", "/forms/1"}


@pytest.mark.parametrize(("status", "requests"), [(404, 1), (410, 1), (403, len(_NAMES))])
def test_sitemap_that_is_not_there_is_requested_once_and_one_that_fails_by_each_source(
    project: Project, site: Site, crawl_output: CrawlOutput, status: int, requests: int
) -> None:
    _serve(project, site)
    site.status("/sitemap.xml", status)
    _collect(project)
    assert len(site.log.hits("/sitemap.xml")) == requests
    for name in _NAMES:
        state, reason = crawl_output.urls(name, "sitemap")["/sitemap.xml"]
        assert (state, reason.code) == ("failed", "http_error")
        assert f"HTTP {status}" in reason


def test_shared_sitemap_redirecting_is_followed_by_each_source(
    project: Project, site: Site, crawl_output: CrawlOutput
) -> None:
    _serve(project, site)
    site.page("/maps.xml", _sitemap(site, "/forms/1", "/rules/1", "/guides/1"), content_type="application/xml")
    site.redirect("/sitemap.xml", "/maps.xml")
    _collect(project)
    assert len(site.log.hits("/maps.xml")) == len(_NAMES)
    for name in _NAMES:
        assert f"/{name}/1" in crawl_output.in_state(name, "captured")
