"""A wiki's page as people see it has the text that its api.php gives: what is said of the page is no part of it."""

from __future__ import annotations

import json

from rori_spiders.content.convert import convert
from rori_spiders.crawl.tiers.mediawiki.api_answers import parse_page_html

URL = "https://wiki.example.org/wiki/Rule_10/Annex"
TEXT = '<div class="mw-parser-output"><p>' + "The creditor must keep the records for 5 years. " * 12 + "</p></div>"
SEEN = f"""<!DOCTYPE html><html lang="en"><head><title>Rule 10/Annex - Wiki</title></head><body>
<div id="content" class="mw-body" role="main"><h1 id="firstHeading" class="firstHeading">Rule 10/Annex</h1>
<div id="bodyContent"><div id="siteSub" class="noprint">From Wiki</div>
<div id="contentSub"><div class="subpages">&lt; <bdi><a href="/wiki/Rule_10">Rule 10</a></bdi></div>
<span class="mw-redirectedfrom">(Redirected from <a href="/w/index.php?title=Old&amp;redirect=no">Old</a>)</span></div>
<div id="mw-content-text">{TEXT}
<div class="printfooter">Retrieved from "<a href="{URL}?oldid=134">{URL}?oldid=134</a>"</div></div>
<div id="catlinks" class="catlinks"><a href="/wiki/Special:Categories">Category</a>: <a>Rules</a></div>
</div></div></body></html>"""


def test_wiki_page_text_equals_that_of_api() -> None:
    payload = json.dumps({"parse": {"title": "Rule 10/Annex", "text": TEXT}}).encode()
    seen, from_api = (
        convert(one.encode(), url=URL, content_type="text/html") for one in (SEEN, parse_page_html(payload))
    )
    assert seen.markdown == from_api.markdown
    assert "5 years" in seen.markdown
