"""A small site, collected twice, so that every screen has something to show: changes, failures, refusals, an alert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.pages import page
from tests.project import source

if TYPE_CHECKING:
    from tests.project import Project
    from tests.server import Site

#: What comes from outside and would run, were it not taken for text.
HOSTILE = "<img src=x onerror=window.ran=1><script>window.ran=1</script>"
_PATHS = tuple(f"/reg/1024/{number}" for number in range(1, 8))


def collect(project: Project, site: Site, broken: Site) -> None:
    """Two runs of three sources: `reg-x` (a site), `guide` (a page), `broken` (its server fails)."""
    _serve(site, broken)
    about = {"metadata": {"agency": "CFPB"}, "category": "cfpb"}
    project.manifest(
        [
            source("reg-x", site.at("/reg/1024"), "crawl", name="Regulation X", **about),
            source("guide", site.at("/guide"), name=f"Guide {HOSTILE}"),
            source("broken", broken.at("/start"), name="A server that fails"),
        ],
        delay_s=0.05,
    )
    _collected(project)
    site.set(_PATHS[1], page("Section 2", text="A borrower has 30 days to send the notice, not 14."))
    site.set("/guide", page(f"The guide {HOSTILE}", text="It was rewritten in part on 3 March 2026."))
    _collected(project, "--force")


def _collected(project: Project, *options: str) -> None:
    done = project.scrapy("collect", *options)
    assert done.returncode == 1, f"one of the three fails, always: {done.stdout}{done.stderr}"


def _serve(site: Site, broken: Site) -> None:
    for one in (site, broken):
        one.robots("User-agent: *\nDisallow: /private\n")
    site.page("/reg/1024", page("Regulation X", *_PATHS, "/reg/gone", "/reg/fails", "/private/a"))
    for number, path in enumerate(_PATHS, start=1):
        site.page(path, page(f"Section {number}", text=f"This is section 1024.{number}."))
    site.page("/reg/fails", f"<h1>Bad gateway {HOSTILE}</h1>", status=403)
    site.page("/guide", page(f"The guide {HOSTILE}"))
    broken.page("/start", "<h1>Forbidden</h1>", status=403)
