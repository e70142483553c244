"""What a crawl of hostile pages weighs: the whole process tree, page by page, and what became of each page.

    .venv/bin/python -m benchmarks.content_memory            # every page, at its full size
    .venv/bin/python -m benchmarks.content_memory table pdf  # those whose name holds a word

Each page is crawled by a job of its own, beside two pages that must not notice. Prints the most RSS and PSS (MiB) that
all processes of the job had at one time, the state, and the seconds that it took.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.content import hostile
from tests.support.crawl_output import CrawlOutput
from tests.support.memory import MIB, Scales
from tests.support.pages import page
from tests.support.project import Project, source
from tests.support.server import Site

if TYPE_CHECKING:
    from collections.abc import Callable

_MB = 1_000_000
#: Name -> what makes the body, and how many bytes.
PAGES: dict[str, tuple[Callable[[int], bytes], int]] = {
    "nothing": (lambda _: page("Nothing").encode(), 1),
    **{f"table, 5 MB: {name}": (make, 5 * _MB) for name, make in hostile.TABLES.items()},
    "prose, 5 MB": (hostile.TEXTS["prose"], 5 * _MB),
    "one paragraph, 30 MB": (hostile.TEXTS["prose"], 30 * _MB),
    "plain text, 30 MB": (hostile.DOCUMENTS["plain"], 30 * _MB),
    "a word, 30 MB": (hostile.TEXTS["word"], 30 * _MB),
    "a million breaks": (hostile.MARKUP["void"], 4 * _MB),
    "50,000 links": (hostile.MARKUP["links"], 50_000 * 45),
    "a million attributes": (hostile.MARKUP["attributes"], 9 * _MB),
    "an attribute, 10 MB": (hostile.MARKUP["attribute"], 10 * _MB),
    "json-ld, 10 MB": (hostile.MARKUP["json-ld"], 10 * _MB),
    **{
        f"20,000 nested {tag}": (lambda size, tag=tag: hostile.nested_closed(tag, size), 20_000 * (2 * len(tag) + 5))
        for tag in ("div", "b", "blockquote", "span", "font")
    },
    "20,000 nested lists": (lambda size: hostile.nested("ul><li", size), 20_000 * 9),
    "20,000 nested tables": (lambda size: hostile.nested("table><tr><td", size), 20_000 * 16),
    "json, 10 MB": (hostile.DOCUMENTS["json"], 10 * _MB),
    "xml of the law, 10 MB": (hostile.DOCUMENTS["xml of the law"], 10 * _MB),
    "xml, 30 MB": (hostile.DOCUMENTS["xml, flat"], 30 * _MB),
    "pdf: a stream of 200 MB": (hostile.DOCUMENTS["pdf of text"], 200 * _MB),
    "pdf: 10,000 pages": (hostile.DOCUMENTS["pdf of pages"], 10_000 * 120),
}


def crawl(name: str, folder: Path) -> str:
    """One page, crawled; a line of figures."""
    make, size = PAGES[name]
    with Site() as site:
        site.page("/", page("Start", "/hostile", "/after"))
        site.page("/hostile", make(size), content_type=_media(name))
        site.page("/after", page("After"))
        project = Project(folder)
        project.manifest([source("all", site.at("/"), "crawl")], delay_s=0.02)
        began = time.monotonic()
        with project.start("collect") as job, Scales(job.pid) as scales:
            job.communicate()
        took = time.monotonic() - began
    urls = CrawlOutput(project).urls("all")
    state, reason = urls["/hostile"]
    others = {path: urls[path][0] for path in ("/", "/after")}
    notice = "" if set(others.values()) == {"captured"} else f" OTHERS: {others}"
    each = " + ".join(str(weight // MIB) for weight in sorted(scales.heaviest, reverse=True))
    return (
        f"{name:34} {scales.rss // MIB:5} {scales.pss // MIB:5}  {took:6.1f} s  {state} {reason[:70]}  [{each}]{notice}"
    )


def _media(name: str) -> str:
    for word, media in (("pdf", "application/pdf"), ("json,", "application/json"), ("xml", "application/xml")):
        if name.startswith(word):
            return media
    return "text/plain" if name.startswith("plain") else "text/html; charset=utf-8"


def main(words: list[str]) -> None:
    print(f"{'page':34} {'RSS':>5} {'PSS':>5}  {'took':>6}    state")
    for name in PAGES:
        if not words or any(word in name for word in words):
            with tempfile.TemporaryDirectory() as folder:
                print(crawl(name, Path(folder)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
