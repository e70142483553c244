"""Time and CPU of rendered pages, beside plain Playwright: `python -m benchmarks.rendered_pages FOLDER`.

FOLDER holds pages (`*.html`, `*.html.gz`). A site on loopback serves each with 40 scripts and style sheets, which all
of its pages share as those of a real site do, and with the images that it names. Ours is the whole of `scrapy collect`
without a delay: robots.txt, Chromium, conversion, ledger, envelopes. Plain Playwright opens each page in a new context
of one Chromium and takes its HTML once the network is idle. They run in turns; the least of the rounds is given, since
another program on the machine only ever adds. CPU is that of all processes (user and system), those of Chromium too.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.process_cost import ProcessCost, measure_process
from benchmarks.reading import body_of
from rori_spiders.crawl.tiers.browser.chromium import find_chromium
from rori_spiders.verdicts import judge
from tests.support.crawl_output import CrawlOutput
from tests.support.project import Project, source
from tests.support.server import Site

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FILES = 40
_URL = "https://www.example.gov/page"
#: A page of an agency names 10 to 60 of them, of 1 to 90 KB; every third is a style sheet.
_SCRIPT = "window.rule{n} = (function () {{ var kept = []; {body} return kept.length; }})();\n"
_LINE = "kept.push(function (amount, rate, years) { return amount * rate / (1 - Math.pow(1 + rate, -12 * years)); });\n"
_STYLE = ".rule-{n}-{line} > td + td {{ padding: {line}px 0; color: #{line:03d}; }}\n"
#: The page's own would lead to other hosts, of which this machine reaches none, or the page elsewhere.
_OWN = re.compile(rb"(?is)<script\b.*?</script>|<link\b[^>]*>|<meta\b[^>]*refresh[^>]*>|<iframe\b[^>]*>")
_HOSTS = re.compile(rb"https?://[\w.-]+(:\d+)?")
_PLAIN = """
import sys
from playwright.sync_api import sync_playwright
program, *urls = sys.argv[1:]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=program, chromium_sandbox=False)
    for url in urls:
        context = browser.new_context()
        page = context.new_page()
        page.goto(url, wait_until="{until}")
        assert page.content()
        context.close()
    browser.close()
"""


def serve(site: Site, bodies: Sequence[bytes]) -> list[str]:
    """The pages and their files; gives the paths of the pages."""
    tags = []
    for n in range(_FILES):
        if n % 3 == 2:
            lines = "".join(_STYLE.format(n=n, line=line) for line in range(40 + 10 * n))
            site.page(f"/assets/{n}.css", lines, content_type="text/css", validators=True)
            tags.append(f'<link rel="stylesheet" href="/assets/{n}.css">')
        else:
            text = _SCRIPT.format(n=n, body=_LINE * (20 + 10 * n))
            site.page(f"/assets/{n}.js", text, content_type="text/javascript", validators=True)
            tags.append(f'<script src="/assets/{n}.js"></script>')
    head, paths = "".join(tags).encode(), [f"/page/{number}" for number in range(len(bodies))]
    for path, body in zip(paths, bodies, strict=True):
        site.page(path, b"<!DOCTYPE html>" + head + body, validators=True)
    site.sitemap(paths)
    return paths


def read_pages(folder: Path) -> list[bytes]:
    """The pages of *folder* without what they would load elsewhere, those of a usual size first. Pages that say that
    nothing was found, or that one has to log in, are left out.
    """
    files = sorted(folder.glob("*.html*"), key=lambda path: abs(len(body_of(path)) - 98_000))
    bodies = [_HOSTS.sub(b"", _OWN.sub(b"", body_of(path))) for path in files]
    html = {"Content-Type": "text/html"}
    return [body for body in bodies if judge(status=200, url=_URL, headers=html, body=body).is_content]


def cost_of(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> ProcessCost:
    """What *command* and all that it started took; exits with its output where it failed."""
    cost = measure_process(command, folder, env)
    if cost.exit_code:
        sys.exit(cost.output[-3000:])
    return cost


def collect(site: Site, paths: Sequence[str]) -> tuple[ProcessCost, int]:
    """The cost of a first visit, and how many files of pages it asked for."""
    with tempfile.TemporaryDirectory(prefix="rori-") as folder:
        project = Project(Path(folder))
        config = {
            "tiers": ["browser"],
            "render": "always",
            "browser_budget": len(paths),
            "follow_links": False,
            "sitemaps": [site.at("/sitemap.xml")],
            "min_content_chars": 1,
        }
        project.manifest([source("all", site.at(paths[0]), "crawl", scrape_config=config)], delay_s=0.0001)
        project.env["RORI_TIERS"] = "http,browser"
        seen = len(site.log.hits())
        cost = cost_of([sys.executable, "-m", "scrapy", "collect", "--force"], project.folder, project.env)
        states = CrawlOutput(project).urls("all")
        rendered = sum(state == "captured" for state, _ in states.values())
        if rendered < len(paths):
            sys.exit(f"{rendered} of {len(paths)} pages were captured: {states}")
        return cost, sum(hit.path.startswith("/assets/") for hit in site.log.hits()[seen:])


def _least(costs: Sequence[ProcessCost]) -> tuple[float, float]:
    """Seconds by the clock, and of the processors."""
    return min(cost.wall_s for cost in costs), min(cost.cpu_s for cost in costs)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    program = find_chromium("")
    if program is None:
        parser.error("Chromium is not installed")
    bodies = read_pages(given.folder)[: given.pages]
    if not bodies:
        parser.error(f"no pages in {given.folder}")
    print(f"{len(bodies)} pages of {sum(map(len, bodies)) / len(bodies) / 1000:.0f} KB, {_FILES} files each")
    ours: list[ProcessCost] = []
    plain: dict[str, list[ProcessCost]] = {"networkidle": [], "load": []}
    with Site("127.0.0.1") as site:
        paths = serve(site, bodies)
        for number in range(given.rounds):
            cost, asked = collect(site, paths)
            ours.append(cost)
            line = f"round {number + 1}: ours {cost.wall_s:5.1f} s, {cost.cpu_s:5.1f} s CPU, {asked} files"
            for until, costs in plain.items():
                command = [sys.executable, "-c", _PLAIN.format(until=until), program, *map(site.at, paths)]
                costs.append(cost_of(command, Path.cwd(), os.environ))
                line += f"; plain ({until}) {costs[-1].wall_s:5.1f} s, {costs[-1].cpu_s:5.1f} s CPU"
            print(line, flush=True)
    wall, cpu = _least(ours)
    for until, costs in plain.items():
        plain_wall, plain_cpu = _least(costs)
        print(
            f"a page, beside plain ({until}): {wall / len(bodies):.2f} s for {plain_wall / len(bodies):.2f}"
            f" ({wall / plain_wall:.2f} times); CPU {cpu / len(bodies):.3f} s for"
            f" {plain_cpu / len(bodies):.3f} ({cpu / plain_cpu:.2f} times)"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
