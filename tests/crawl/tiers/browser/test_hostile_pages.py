"""Pages that do to a browser what they can: that page fails by name, or loses what it wanted; the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.tiers.browser.marked_chromium import MarkedChromium
from tests.crawl.transport.canary import Canary
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: Every way out of a page that we know of; {at} is a host and port.
WAYS = """
<script src="http://{at}/script"></script><link rel="stylesheet" href="http://{at}/style">
<link rel="preconnect" href="http://{at}/"><link rel="dns-prefetch" href="//{at}/">
<link rel="prefetch" href="//{at}/p">
<iframe src="http://{at}/frame"></iframe><iframe src="/hop"></iframe><img src="http://{at}/i"><object data="//{at}/o">
</object><embed src="http://{at}/e"><video src="http://{at}/v"></video><a id="a" target="_blank" href="//{at}/a"
 ping="//{at}/ping">a</a>
<form id="f" action="http://{at}/form" method="post" target="_blank"></form>
<script type="speculationrules">{{"prerender": [{{"urls": ["http://{at}/prerender"]}}]}}</script>
<script>
const quiet = work => {{ try {{ const made = work(); made && made.catch && made.catch(() => 0) }} catch (error) {{}} }};
quiet(() => fetch('http://{at}/fetch', {{mode: 'no-cors'}}));
quiet(() => fetch('https://{at}/tls', {{mode: 'no-cors'}}));
quiet(() => fetch('/hop', {{mode: 'no-cors'}}));
quiet(() => {{ const x = new XMLHttpRequest(); x.open('GET', 'http://{at}/xhr'); x.send() }});
quiet(() => new WebSocket('ws://{at}/ws'));
quiet(() => new WebSocket('wss://{at}/wss'));
quiet(() => new EventSource('http://{at}/events'));
quiet(() => navigator.sendBeacon('http://{at}/beacon', 'x'));
quiet(() => window.open('http://{at}/open'));
quiet(() => window.open('http://{at}/noopener', '_blank', 'noopener'));
quiet(() => document.getElementById('f').submit());
quiet(() => document.getElementById('a').click());
quiet(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://{at}/worker').catch(() => 0);"
  + "new WebSocket('ws://{at}/workers-ws')"]))));
quiet(() => new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://{at}/shared').catch(() => 0)"]))));
quiet(() => new WebTransport('https://{at}/transport').ready);
quiet(() => {{
  const turn = ['turn:{at}?transport=tcp', 'turn:{at}', 'stun:{at}'].map(
    urls => ({{urls: [urls], username: 'u', credential: 'c'}}));
  turn.forEach(one => {{ if (one.urls[0].startsWith('stun')) {{ delete one.username; delete one.credential }} }});
  const peer = new RTCPeerConnection({{iceServers: turn}});
  peer.createDataChannel('x');
  return peer.createOffer().then(offer => peer.setLocalDescription(offer));
}});
</script>
"""
_MEMORY = (
    f"<p>Much</p><script>const kept = []; setInterval(() => {{ const more = new Uint8Array({32 * 2**20}); more.fill(7);"
    " kept.push(more); document.body.append('more ') }, 20)</script>"
)


def with_script(title: str, script: str) -> str:
    return page(title).replace("</main>", f"<p id='told'></p></main><script>{script}</script>")


def serve(site: Site, canary: Canary) -> None:
    at = f"127.0.0.1:{canary.port}"
    site.redirect("/hop", f"http://{at}/hopped")
    also = WAYS.format(at=f"localhost:{canary.port}") + WAYS.format(at=f"[::1]:{canary.port}")
    site.page("/canary", page("Canary").replace("</main>", f"</main>{WAYS.format(at=at)}{also}"))
    site.page("/canary-goes", f"<p>x</p><script>location.href = 'http://{at}/gone'</script>")
    site.redirect("/canary-moved", f"http://{at}/moved")
    site.page("/busy", with_script("Busy", "setTimeout(() => { while (true) {} }, 50)"))
    site.page("/memory", _MEMORY)
    site.page("/reloads", "<p>Round</p><script>location.reload()</script>")
    site.page("/blank", "<p>Gone</p><script>location.href = 'about:blank'</script>")
    site.truncated("/torn", page("Torn", text="x" * 20_000))
    site.truncated("/torn-unnamed", page("Torn §", text="x" * 20_000), content_type="text/html")
    site.truncated("/torn-pdf", "%PDF-1.7 " + "x" * 20_000, content_type="application/pdf")
    site.page("/many", with_script("Many", "for (let n = 0; n < 300; n++) fetch('/n?' + n)"))
    site.page("/huge", with_script("Huge", "document.body.append('x'.repeat(3e6))"))
    site.page("/windows", with_script("Windows", "for (let n = 0; n < 9; n++) window.open('/popped?' + n)"))
    told = "document.getElementById('told').textContent = "
    site.page(
        "/dialogs", with_script("Dialogs", f"alert(1); {told} 'said ' + confirm('Accept all?') + prompt('Name?')")
    )
    site.page(
        "/downloads",
        with_script(
            "Downloads",
            "const a = document.createElement('a'); a.href = '/big.zip';"
            " a.download = 'x'; document.body.append(a); a.click()",
        ),
    )
    site.page("/big.zip", b"PK" + b"\0" * 1000, content_type="application/zip")
    site.page("/attached", page("Attached"), content_disposition="attachment; filename=x.html")
    site.page(
        "/posts",
        with_script(
            "Posts",
            "const f = document.createElement('form'); f.method = 'post';"
            " f.action = '/posted'; document.body.append(f); f.submit()",
        ),
    )
    site.page(
        "/ticks",
        with_script(
            "Ticks",
            f"setInterval(() => {{ document.title = Date.now() + ' '; {told} 'tick'.repeat(Date.now() % 97) }}, 40)",
        ),
    )
    site.page(
        "/tamper",
        with_script(
            "Tampered",
            "Object.defineProperty(Element.prototype, 'outerHTML',"
            " {get: () => '<p>Forged</p>'}); XMLSerializer.prototype.serializeToString = () => 'Forged'",
        ),
    )


#: Path -> state, first word of the reason.
ENDS = {
    "/canary": ("captured", "captured"),
    "/canary-goes": ("excluded", "redirected_off_site"),
    "/canary-moved": ("excluded", "redirected_off_site"),
    "/busy": ("failed", "timeout"),
    "/memory": ("failed", "browser_crashed"),
    "/reloads": ("failed", "browser_failed"),
    "/blank": ("failed", "browser_failed"),
    **dict.fromkeys(("/torn", "/torn-unnamed", "/torn-pdf"), ("failed", "truncated")),
    "/many": ("failed", "too_large"),
    "/huge": ("failed", "too_large"),
    "/downloads": ("failed", "unknown"),  # as where a script leads elsewhere: the archive is asked for, and is no page
    **dict.fromkeys(("/windows", "/dialogs", "/attached", "/posts", "/ticks", "/tamper"), ("captured", "captured")),
}


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    with Canary() as listening:
        yield listening


@pytest.fixture(scope="module")
def collected(
    new_site: Callable[[], Site], shared: Project, canary: Canary
) -> tuple[Site, CrawlOutput, MarkedChromium, int]:
    """One crawl of all of them, each a source of its own, by one browser; how often that was killed."""
    site = new_site()
    serve(site, canary)
    chromium = MarkedChromium(shared)
    only = {"tiers": ["browser"], "min_content_chars": 1}
    shared.manifest([source(path[1:], site.at(path), scrape_config=only) for path in ENDS], delay_s=0.05)
    small = {
        "RORI_BROWSER_TIMEOUT": "25",
        "RORI_BROWSER_MEMORY": "700",
        "RORI_MAX_BYTES": "2000000",
        "RORI_MAX_PDF_BYTES": "2000000",
        "RORI_RETRY_SCALE": "0.01",
    }
    done = shared.scrapy("collect", "-L", "INFO", env=small, timeout=400)
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return site, CrawlOutput(shared), chromium, done.stderr.count("did not close a page and was killed")


Collected = tuple["Site", CrawlOutput, MarkedChromium, int]


@pytest.mark.parametrize("path", ENDS)
def test_hostile_page_ends_with_its_reason(collected: Collected, path: str) -> None:
    state, reason = collected[1].urls(path[1:])[path]
    assert (state, reason.code) == ENDS[path], reason


def test_hostile_page_reaches_public_addresses_only(collected: Collected, canary: Canary) -> None:
    assert collected[0].report().hits["/hop"] > 0
    assert canary.heard == []


def test_windows_stay_shut_and_no_form_is_sent(collected: Collected) -> None:
    hits = collected[0].log.hits()
    assert [hit.path for hit in hits if hit.path.startswith("/popped")] == []
    assert {hit.method for hit in hits} == {"GET"}


def test_hostile_page_dialog_is_not_confirmed(collected: Collected) -> None:
    assert "said falsenull" in collected[1].envelope("/dialogs")["content"]["body"]


def test_hostile_page_claims_about_itself_are_ignored(collected: Collected) -> None:
    body = collected[1].envelope("/tamper")["content"]["body"]
    assert "Tampered begins here" in body
    assert "Forged" not in body


def test_hanging_page_is_requested_once(collected: Collected) -> None:
    """Once more for each time that the browser was killed under it, because it did not close another page."""
    hits = collected[0].report().hits
    assert 1 <= hits["/busy"] <= 1 + collected[3]
    assert 1 <= hits["/memory"] <= 1 + collected[3]
    assert hits["/reloads"] <= 3 * (1 + collected[3])


def test_hostile_pages_leave_no_process_and_no_profile(collected: Collected) -> None:
    _, crawl_output, chromium, _ = collected
    chromium.wait(alive=False, timeout=10)
    crawl_output.assert_sums()
    crawl_output.assert_verified()
