"""The tier `browser` says what it did not see: lists of which scripts show more, text drawn as a picture."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from rori_spiders.reasons import ReasonCode
from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM, MarkedChromium
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(300)]

_ADD = """let n = 40; const add = () => { for (let i = 0; i < 20 && n < MOST; i++)
  list.insertAdjacentHTML('beforeend', `<li>A rule of the register, entry ${++n}.</li>`) };"""
_GROWS = f"""<div id=end></div><script>{_ADD}
new IntersectionObserver(all => {{ if (all[0].isIntersecting) setTimeout(add, 300) }}).observe(end)</script>"""
_GROWS_BY_EVENT = f"""<script>{_ADD} addEventListener('scroll', () => {{
  if (innerHeight + scrollY >= document.body.offsetHeight - 99) setTimeout(add, 400) }})</script>"""
_CLICKED = f"""<button id=more>Load more</button><script>{_ADD}
more.onclick = () => {{ add(); if (n >= MOST) more.style.visibility = 'hidden' }}</script>"""
_BOX = """<div style="height: 300px; overflow: auto"><div style="height: 90000px"><p>Rule 1</p><p>Rule 2</p>
<p>Rule 3</p></div></div>"""
_STICKY = """<script>addEventListener('scroll', () => { document.body.classList.toggle('small', scrollY > 100);
if (!window.asked) asked = document.body.insertAdjacentHTML('beforeend',
  `<div style="position: fixed; bottom: 0">Sign up to the newsletter of this agency, and never miss a rule.</div>`) })
</script>"""
_LAZY_PICTURE = """<div id=map></div><script>new IntersectionObserver(all => {
if (all[0].isIntersecting) map.innerHTML = '<img src="/map.png">' }).observe(map)</script>"""
_DRAWN = """<!DOCTYPE html><html><head><title>Viewer</title></head><body><h1>Fee schedule</h1>
<canvas id=drawn width=1200 height=600></canvas><script>drawn.getContext('2d').fillText('The fee is $25.', 20, 20)
</script></body></html>"""
_BACKDROP = """<!DOCTYPE html><html><head><title>Hours</title></head><body><main><h1>Office hours</h1><p>The office is
open from 9 to 5 on all working days.</p></main><canvas width=1280 height=720 style="position: fixed; inset: 0;
z-index: -1; pointer-events: none"></canvas></body></html>"""


class Page(NamedTuple):
    """What stands below a list of 40 rules, and by what the run is to say that there are more; '' for none."""

    html: str
    sign: str = ""
    interactions: tuple[dict[str, Any], ...] = ()


_SCROLLED = "more comes when it is scrolled"
_CLICKS = {"action": "click", "selector": "#more"}
PAGES = {
    "observed": Page(_GROWS.replace("MOST", "999"), _SCROLLED),
    "event": Page(_GROWS_BY_EVENT.replace("MOST", "999"), _SCROLLED),
    "box": Page(_BOX, "words fill 1 % of what a box scrolls"),
    "button": Page(_CLICKED.replace("MOST", "99"), "Load more"),
    "some-clicks": Page(_CLICKED.replace("MOST", "99"), "Load more", ({**_CLICKS, "times": 1},)),
    "all-clicks": Page(_CLICKED.replace("MOST", "99"), "", ({**_CLICKS, "times": 9},)),
    "all-scrolls": Page(_GROWS.replace("MOST", "80"), "", ({"action": "scroll", "times": 9},)),
    "sticky": Page(_STICKY),
    "picture": Page(_LAZY_PICTURE),
}


@pytest.fixture(scope="module")
def collected(new_site: Callable[[], Site], shared: Project) -> CrawlOutput:
    site = new_site()
    rows = "".join(f"<li>A rule of the register, entry {number}.</li>" for number in range(1, 41))
    only = {"tiers": ["browser"], "min_content_chars": 1}
    listed = [source(name, site.at(f"/{name}"), scrape_config=only) for name in ("drawn", "backdrop")]
    site.page("/drawn", _DRAWN)
    site.page("/backdrop", _BACKDROP)
    for name, one in PAGES.items():
        site.page(f"/{name}", page(name).replace("</main>", f"<ul id=list>{rows}</ul>{one.html}</main>"))
        steps = {"render": "always", "browser_budget": 2, "interactions": one.interactions} if one.interactions else {}
        listed.append(source(name, site.at(f"/{name}"), scrape_config={**only, **steps}))
    MarkedChromium(shared, QUICK_CHROMIUM)
    shared.manifest(listed, delay_s=0.05)
    done = shared.scrapy("collect", "-L", "INFO", timeout=280)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    return CrawlOutput(shared)


@pytest.mark.parametrize("name", PAGES)
def test_browser_list_that_grows_is_named_by_its_sign(collected: CrawlOutput, name: str) -> None:
    run, sign = collected.last_run(name), PAGES[name].sign
    left = collected.rows("SELECT * FROM run_urls WHERE run_id = ? AND reason_code = 'list_in_part'", run["run_id"])
    assert [row["reason"] for row in left] == [
        f"The page shows a list in part, and a script the rest: {sign}" for sign in filter(None, [sign])
    ]
    assert run["state"] == "complete"
    assert run["reason_code"] == (ReasonCode.LISTS_IN_PART if sign else ReasonCode.COMPLETE)
    text = collected.envelope(f"/{name}")["content"]["body"]
    assert ("entry 80" in text) == (name in {"all-clicks", "all-scrolls"}), "what is not asked for is not read"


def test_browser_text_drawn_on_a_canvas_is_no_content(collected: CrawlOutput) -> None:
    state, reason = collected.urls("drawn")["/drawn"]
    assert (state, reason.code, reason.detail["vendor"]) == ("failed", ReasonCode.EMPTY, "drawn-on-canvas")
    [row] = collected.rows("SELECT attempts FROM audit WHERE url LIKE '%/drawn'")
    [step] = json.loads(row["attempts"])[-1]["steps"]
    assert step == {"step": "see", "target": "canvas", "result": "78% of the view; 12 characters stand beside it"}


def test_browser_text_over_a_canvas_is_content(collected: CrawlOutput) -> None:
    assert collected.urls("backdrop")["/backdrop"][0] == "captured"
