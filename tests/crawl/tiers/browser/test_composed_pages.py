"""The tier `browser` reads what a person sees: shadow roots, frames of the page, text that a timer draws, and what
stands under a prompt for consent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import ReasonCode
from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM, MarkedChromium
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.reasons import Reason
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(300)]

_SHADOW = """<!DOCTYPE html><html><head><title>Shadow</title></head><body><x-page id=host>
<p slot=first>Second by slot.</p><p>Nobody shows this.</p></x-page><x-term id=term>last</x-term>
<script>
const root = document.getElementById('host').attachShadow({mode: 'open'});
setTimeout(() => { root.innerHTML = `<style>p { color: red }</style><h1>First</h1><slot name=first>no fallback</slot>
<slot name=other><p>Third by fallback.</p></slot><x-inner></x-inner>`;
  root.querySelector('x-inner').attachShadow({mode: 'open'}).innerHTML = `TEXT` }, 400);
document.getElementById('term').attachShadow({mode: 'open'}).innerHTML = '<p>The last <slot></slot> word.</p>';
</script></body></html>"""
_TIMER = """<!DOCTYPE html><html><head><title>TITLE</title></head><body><main id=m></main>
<script>setTimeout(() => { document.getElementById('m').innerHTML = `TEXT` }, MS)</script></body></html>"""
#: A part of it is to come, as it says.
_PART = """<!DOCTYPE html><html><head><title>Part</title></head><body><main><h1>Fees</h1><p>A lender states each fee
before it is charged, and the borrower may ask how it was reckoned.</p><div id=table aria-busy=true>
<p>Loading fees…</p></div>
</main><script>setTimeout(() => { table.ariaBusy = null; table.innerHTML = '<p>The fee is $25.</p>' }, 2500)</script>"""
#: Nothing says that a part of it is to come, nor, in the other, that plain HTTP has not all of it.
_LATE = """<!DOCTYPE html><html><head><title>Late</title></head><body><main id=m></main><script>
m.innerHTML = `TEXT`; setTimeout(() => { m.insertAdjacentHTML('beforeend', '<p>The fee is $35.</p>') }, 3200)
setTimeout(() => {}, 90_000)</script></body></html>"""
_SECTION = """<section><h2>Rates</h2><div id=r>Loading...</div></section></main><script>
setTimeout(() => { r.innerHTML = '<p>The rate is 6.25 percent.</p>' }, 300)</script>"""
_FRAMES = """<!DOCTYPE html><html><head><title>Frames</title></head><body><p>Before the frame.</p>
<iframe src="/in/frame" width=600 height=400></iframe><p>Behind the frame.</p>
<iframe src="/private/frame" width=600 height=400></iframe>
<iframe src="/in/frame?hidden" hidden></iframe>
<div style="height: 9000px"></div><iframe src="/in/below" loading=lazy width=600 height=400></iframe>
<script>document.write('<iframe srcdoc="<p>Of a script.</p>" width=9 height=9></iframe>')</script></body></html>"""

_FRAMESET = """<html><head><title>Frameset</title></head><frameset rows="*,*"><frame src="/in/frame">
<frameset cols="*,*"><frame src="/private/frame"><frame src="/in/frame?second"></frameset></frameset></html>"""

#: A prompt over BODY, drawn by a script; accepting it is recorded, and draws TEXT.
_PROMPT = """<!DOCTYPE html><html><head><title>Prompt</title><style>.until-asked #under { display: none }
.veil { position: fixed; inset: 0; background: #0008 }</style></head><body class="CLASS"><header><nav>
<a href="/">Home</a></nav></header><div id="under">BODY</div><script>
function accept() { fetch('/accepted'); document.body.className = ''; document.getElementById('ask').remove();
  document.getElementById('under').innerHTML = `TEXT` }
setTimeout(() => document.body.insertAdjacentHTML('beforeend', `<div class=veil><div id=ask role=dialog aria-modal=true>
<h2>Before you go on</h2><p>PROMPT</p><button onclick="accept()">Accept all</button><button>Settings</button></div>
</div>`),
300)</script></body></html>"""
_COOKIES = "We and our partners use cookies to measure how this site is used. Read our privacy policy."
_GATE = """<!DOCTYPE html><html><head><title>Gate</title></head><body><div id=root></div><script>
document.getElementById('root').innerHTML = `<section><h1>Register of lenders</h1><p>Please read the terms of use
of this register.</p><button onclick="fetch('/accepted')">I agree</button></section>`</script></body></html>"""
_ASKS = """<form class="consent-form" style="position: sticky"><p>Rule 9: a site sets no cookies before a visitor
has agreed.</p><button>I agree</button></form>"""

#: A list that grows by clicks, a tab, a box that loads as it is scrolled, a list of years, and a form.
_STEPS = """<!DOCTYPE html><html><head><title>Steps</title></head><body><main>LAW<ul id=list><li>Opinion 1</li></ul>
<button id=more>Load more</button><button id=tab>History</button><div id=panel></div>
<div id=box style="height: 50px; overflow: auto"><p style="height: 500px">Box</p></div>
<x-more></x-more><select id=year><option value=25>2025</option><option value=24>2024</option></select><p id=of></p>
<button id=late>Amendments</button><div id=slow></div><button id=open>Copies</button>
<form action="/sent"><button id=send>Send</button></form></main>
<dialog id=own open>Welcome to this register.</dialog><dialog id=fees><p>A copy costs $2.</p></dialog><script>
const at = id => document.getElementById(id); let n = 1;
at('more').onclick = () => setTimeout(() => { at('list').insertAdjacentHTML('beforeend', `<li>Opinion ${++n}</li>`);
  if (n === 4) at('more').remove() }, 200);
const inner = document.querySelector('x-more').attachShadow({mode: 'open'});
inner.innerHTML = '<button class=deep>More</button>';
inner.querySelector('.deep').onclick = () => { inner.append('Said in a shadow root.') };
at('tab').onclick = () => { at('panel').textContent = 'Loading';
  setTimeout(() => { at('panel').textContent = 'Adopted in 1974.' }, 1200) };
at('late').onclick = () => { at('slow').innerHTML = '<h2>Amendments</h2>';
  setTimeout(() => { at('slow').insertAdjacentHTML('beforeend', '<p>Amended in 1981.</p>') }, 3000) };
at('open').onclick = () => at('fees').showModal();
at('box').onscroll = () => { at('box').append('The end of the box.'); at('box').onscroll = null };
at('year').onchange = () => { at('of').textContent = `Rules of 20${at('year').value}.` };
</script></body></html>"""
#: Each instalment of the list takes the place of the one before, and the last has an address of its own; then a click
#: leads away.
_INSTALMENTS = """<!DOCTYPE html><html><head><title>List</title></head><body><main>LAW<ul id=list></ul>
<button id=next>Next</button><button id=away>Away</button></main><script>
const at = id => document.getElementById(id); let n = 1;
const show = () => { at('list').innerHTML = `<li>Opinion ${n}a</li><li>Opinion ${n}b</li>`;
  if (n === 3) at('next').remove() };
show();
at('next').onclick = () => { n++; history.pushState({}, '', `/list/${n}`); setTimeout(show, 2500) };
at('away').onclick = () => { location.href = '/plain' };
</script></body></html>"""
_INTERACTIONS = [
    {"action": "click", "selector": "#more", "times": 9},
    {"action": "click", "selector": "#tab"},
    {"action": "click", "selector": ".deep"},
    {"action": "scroll", "selector": "#box"},
    {"action": "select", "selector": "#year", "value": "2024"},
    {"action": "click", "selector": "#late"},
    {"action": "click", "selector": "#open"},
    {"action": "click", "selector": "#send"},
    {"action": "click", "selector": "#nowhere"},
]


def _prompt(body: str, *, text: str = "", css: str = "", prompt: str = _COOKIES) -> str:
    page_html = _PROMPT.replace("BODY", body).replace("TEXT", text)
    return page_html.replace("CLASS", css).replace("PROMPT", prompt)


def _writes_after(ms: int, title: str) -> str:
    return _TIMER.replace("TITLE", title).replace("TEXT", _main(page(title))).replace("MS", str(ms))


def _main(html: str) -> str:
    return html.partition("<main>")[2].partition("</main>")[0]


@pytest.fixture(scope="module")
def collected(new_site: Callable[[], Site], shared: Project) -> tuple[Site, CrawlOutput]:
    """One crawl of every page, each a source of its own."""
    site = new_site()
    site.robots("User-agent: *\nDisallow: /private\n")
    site.page("/timer", _writes_after(4000, "Timer"))
    site.page("/never", _writes_after(600_000, "Never"))
    site.page("/shadow", _SHADOW.replace("TEXT", _main(page("Shown", text="A lender must answer within 30 days."))))
    site.page("/part", _PART)
    site.page("/late", _LATE.replace("TEXT", _main(page("Late"))))
    site.page("/section", page("Section").replace("</main>", _SECTION))
    site.page("/frames", _FRAMES)
    site.page("/in/below", page("Below", text="A notice stands for 14 days."))
    framed = page("Framed", "next", text="A borrower may cure within 45 days.")
    site.page("/in/frame", framed.replace("<head>", '<head><base href="/other/">'))
    site.page("/private/frame", page("Private frame"))
    site.page("/frameset", _FRAMESET)
    law = _main(page("Law", text="A lender must answer within 30 days."))
    site.page("/banner", _prompt(law))
    site.page("/only-behind", _prompt("", text=law))
    site.page("/covered", _prompt(law, css="until-asked"))
    site.page("/late-under", _prompt("<script>setTimeout(() => { under.innerHTML = `" + law + "` }, 3000)</script>"))
    site.page("/gate", _GATE)
    site.page("/asks", page("Asks").replace("</main>", f"{_ASKS}</main>"))
    site.page("/steps", _STEPS.replace("LAW", law))
    site.page("/instalments", _INSTALMENTS.replace("LAW", law))
    site.page("/plain", page("Plain"))
    MarkedChromium(shared, QUICK_CHROMIUM)
    only = {"tiers": ["browser"], "min_content_chars": 1}
    prompts = ("banner", "only-behind", "covered", "gate", "asks")
    site.page("/prompts", page("Prompts", *prompts))
    paths = ("timer", "never", "part", "late", "shadow", "frames", "frameset", "late-under")
    listed = [source(path, site.at(f"/{path}"), scrape_config=only) for path in paths]
    listed.append(source("section", site.at("/section")))
    of_site = {**only, "browser_budget": 9, "follow_links": True, "sitemaps": []}
    by_steps = {**only, "render": "always", "browser_budget": 2, "interactions": _INTERACTIONS}
    listed.append(source("steps", site.at("/steps"), scrape_config=by_steps))
    clicks = [{"action": "click", "selector": one, "times": 5} for one in ("#next", "#away", "b:contains('x')")]
    by_clicks = {**only, "render": "always", "browser_budget": 2, "interactions": clicks}
    listed.append(source("instalments", site.at("/instalments"), "crawl", scrape_config=by_clicks))
    shared.manifest([*listed, source("prompts", site.at("/prompts"), "crawl", scrape_config=of_site)], delay_s=0.05)
    done = shared.scrapy("collect", "-L", "INFO", timeout=300)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    return site, CrawlOutput(shared)


def _urls(crawl_output: CrawlOutput, path: str) -> dict[str, tuple[str, Reason]]:
    """The ends of the source that has *path*: one of its own, or that of the prompts."""
    return next(urls for name in ("prompts", path[1:]) if path in (urls := crawl_output.urls(name)))


def body(crawl_output: CrawlOutput, path: str) -> str:
    urls = _urls(crawl_output, path)
    assert urls[path][0] == "captured", urls
    return str(crawl_output.envelope(path)["content"]["body"])


def test_browser_text_of_a_timer_is_waited_for(collected: tuple[Site, CrawlOutput]) -> None:
    assert "Timer begins here" in body(collected[1], "/timer")
    state, reason = collected[1].urls("never")["/never"]
    assert (state, reason.code) == ("failed", ReasonCode.JS_SHELL)


def test_browser_part_of_a_page_that_loads_is_waited_for(collected: tuple[Site, CrawlOutput]) -> None:
    text = body(collected[1], "/part")
    assert "The fee is $25." in text and "Loading" not in text


def test_browser_text_that_a_timer_adds_is_waited_for(collected: tuple[Site, CrawlOutput]) -> None:
    assert "The fee is $35." in body(collected[1], "/late")


def test_browser_fills_a_part_that_plain_http_has_not(collected: tuple[Site, CrawlOutput]) -> None:
    text = body(collected[1], "/section")
    assert "The rate is 6.25 percent." in text and "Loading" not in text
    [row] = collected[1].rows("SELECT attempts FROM audit WHERE url LIKE '%/section'")
    first, last = json.loads(row["attempts"])
    assert (first["tier"], first["reason_code"], last["tier"]) == ("http", "unfilled", "browser")


def test_browser_shadow_roots_are_read_where_they_stand(collected: tuple[Site, CrawlOutput]) -> None:
    text = body(collected[1], "/shadow")
    shown = (
        "# First",
        "Second by slot.",
        "Third by fallback.",
        "A lender must answer within 30 days.",
        "The last last word.",
    )
    places = [text.find(words) for words in shown]
    assert -1 not in places and places == sorted(places), text
    assert "Nobody shows this" not in text and "no fallback" not in text and "color: red" not in text


_OF_FRAMES = ("Before the", "within 45 days.", "Behind the frame.", "for 14 days.", "Of a script.")


def test_browser_frames_of_the_page_are_read_where_they_stand(collected: tuple[Site, CrawlOutput]) -> None:
    site, crawl_output = collected
    text = body(crawl_output, "/frames")
    places = [text.find(words) for words in _OF_FRAMES]
    assert -1 not in places and places == sorted(places), text
    assert text.count("within 45 days.") == 1  # a hidden one is not shown
    assert site.at("/other/next") in text
    assert "Private frame" not in text
    assert "/private/frame" not in site.report().hits


def test_browser_set_of_frames_is_read(collected: tuple[Site, CrawlOutput]) -> None:
    text = body(collected[1], "/frameset")
    assert text.count("A borrower may cure within 45 days.") == 2 and "Private frame" not in text


def _steps(crawl_output: CrawlOutput, path: str) -> list[dict[str, str]]:
    [row] = crawl_output.rows("SELECT attempts FROM audit WHERE url LIKE ?", f"%{path}")
    return list(json.loads(row["attempts"])[-1].get("steps", ()))


@pytest.mark.parametrize("path", ["/banner", "/late-under"])
def test_browser_page_under_a_prompt_is_read_without_it(collected: tuple[Site, CrawlOutput], path: str) -> None:
    site, crawl_output = collected
    text = body(crawl_output, path)
    assert "A lender must answer within 30 days." in text
    assert "partners use cookies" not in text and "Before you go on" not in text
    [step] = _steps(crawl_output, path)
    assert (step["step"], step["target"]) == ("remove_overlay", "veil div")
    assert step["result"].startswith("Before you go on")
    assert "/accepted" not in site.report().hits


@pytest.mark.parametrize("path", ["/only-behind", "/covered", "/gate"])
def test_browser_page_only_behind_a_prompt_is_a_consent_wall(collected: tuple[Site, CrawlOutput], path: str) -> None:
    site, crawl_output = collected
    state, reason = _urls(crawl_output, path)[path]
    assert (state, reason.code) == ("failed", ReasonCode.CONSENT_WALL)
    assert not _steps(crawl_output, path)  # nothing was removed: the prompt is the evidence
    assert "/accepted" not in site.report().hits


def test_browser_rule_about_prompts_stays_whole(collected: tuple[Site, CrawlOutput]) -> None:
    assert "Rule 9: a site sets no cookies before a visitor has agreed." in body(collected[1], "/asks")
    assert not _steps(collected[1], "/asks")


def test_browser_interactions_are_taken_and_recorded(collected: tuple[Site, CrawlOutput]) -> None:
    site, crawl_output = collected
    text = body(crawl_output, "/steps")
    shown = (
        "Opinion 1",
        "Opinion 4",
        "Adopted in 1974.",
        "Said in a shadow root.",
        "The end of the box.",
        "Rules of 2024.",
        "Amended in 1981.",
        "A copy costs $2.",
    )
    assert [words for words in shown if words not in text] == []
    assert "Welcome" not in text, "no step opened it"
    assert "/sent" not in site.report().hits
    assert [(one["step"], one["target"], one["result"]) for one in _steps(crawl_output, "/steps")] == [
        ("click", "#more", "3 times; then: found nothing"),
        ("click", "#tab", "done"),
        ("click", ".deep", "done"),
        ("scroll", "#box", "done"),
        ("select", "#year 2024", "done"),
        ("click", "#late", "done"),
        ("click", "#open", "done"),
        ("click", "#send", "not clicked: it sends a form"),
        ("click", "#nowhere", "found nothing"),
    ]


def test_browser_text_that_a_step_replaces_is_kept(collected: tuple[Site, CrawlOutput]) -> None:
    _, crawl_output = collected
    urls = crawl_output.urls("instalments")
    assert {path: state for path, (state, _) in urls.items()} == {"/instalments": "captured", "/plain": "captured"}
    text = crawl_output.envelope("/instalments")["content"]["body"]
    places = [text.find(f"Opinion {number}{part}") for number in (1, 2, 3) for part in "ab"]
    assert -1 not in places and places == sorted(places), text
    next_step, away, unread = (one["result"] for one in _steps(crawl_output, "/instalments"))
    assert (next_step, unread) == ("2 times; then: found nothing", "the browser cannot read this selector")
    assert away.startswith("it leads to ") and away.endswith("/plain: not followed")
