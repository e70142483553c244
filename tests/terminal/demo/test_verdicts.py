"""What the judge says of the demo's answers: pages are content, refusals with status 200 are not."""

from __future__ import annotations

import pytest

from rori_spiders import verdicts
from rori_spiders.terminal.demo.working_copy import packaged_site
from tests.terminal.demo.test_build import PAGES
from tests.terminal.demo.test_server import ask
from tools.demo_site.site import BLOCKED, GONE, MISSING

FILES = [name for name in packaged_site() if name.startswith("data/CFR") or name.endswith(".pdf")]


def verdict(base: str, path: str) -> str:
    answer = ask(base, path)
    judged = verdicts.judge(status=answer.status, url=base + path, headers=answer.headers, body=answer.body)
    return str(judged.kind)


@pytest.mark.parametrize("name", [*PAGES, *FILES])
def test_demo_staged_pages_are_content(base: str, name: str) -> None:
    assert verdict(base, f"/{name.removesuffix('index.html')}") == "content"


@pytest.mark.parametrize("path", [GONE, MISSING])
def test_demo_missing_page_is_not_found(base: str, path: str) -> None:
    assert verdict(base, path) == "not_found"


def test_demo_request_access_page_is_a_block(base: str) -> None:
    assert verdict(base, BLOCKED) in {"denied", "captcha", "challenge", "filtered"}
