"""A page that repeats a secret of ours is told by all that is read off it, however its markup spells the secret."""

from __future__ import annotations

from rori_spiders.content.convert import digest
from rori_spiders.crawl.walkers.echoed_secrets import repeats_secret
from rori_spiders.runtime.redaction import Redactor
from tests.support.cases import cases

SECRET = "correct-horse-battery-staple"
SPELLED = "".join(f"&#{ord(character)};" for character in SECRET)


@cases(
    "html",
    [
        "<p>{}</p>",
        "<p hidden>{}</p>",
        "<h2 id='{}'>A</h2><p>b</p>",
        "<meta name=author content='{}'>",
        "<meta property='og:title' content='{}'>",
        "<meta name=keywords content='a, {}'>",
    ],
)
def test_echoed_secret_is_found_in_every_part_of_envelope(html: str) -> None:
    redactor = Redactor.from_environment({"ZYTE_API_KEY": SECRET})
    page = digest(f"<html><body><p>Text.</p>{html.format(SPELLED)}</body></html>".encode(), url="https://a.gov/")
    assert SECRET not in (page.html or "")
    assert repeats_secret(page, redactor)


def test_echoed_secret_absent_page_is_unaffected() -> None:
    page = digest(b"<html><body><h1 id=a>A</h1><p>Text.</p></body></html>", url="https://a.gov/")
    assert not repeats_secret(page, Redactor.from_environment({"ZYTE_API_KEY": SECRET}))
