"""What the browser may do on each page of the monitor: nothing that a policy calls unsafe, nothing from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.monitor.security.untrusted_content import untrusted_response
from tests.support.cases import cases

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

#: What a source may be; a hash or a nonce would be named, and a host, a scheme or a word that is unsafe is none.
SOURCES = {"'self'", "'none'", "data:"}
ALWAYS = {"default-src 'none'", "base-uri 'none'"}


def directives(policy: str) -> dict[str, list[str]]:
    return {name: values for name, *values in (part.split() for part in policy.split(";"))}


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize(
    "path", ["/", "/errors", "/login", "/api/v1/sources", "/api/v1/nothing", "/assets/index-1a2b.js"]
)
def test_policy_of_answer_is_strict(operator: TestClient, stranger: TestClient, path: str) -> None:
    policy = (stranger if path == "/login" else operator).get(path).headers["content-security-policy"]
    assert "unsafe" not in policy
    assert {*ALWAYS, "frame-ancestors 'none'"} <= {part.strip() for part in policy.split(";")}
    found = directives(policy)
    style = found.pop("style-src", [])
    assert all(one == "'self'" or one.startswith("'sha256-") for one in style)
    assert {one for values in found.values() for one in values} <= SOURCES
    assert not {"'none'", "data:"} & set(found.get("script-src", []))


@cases("kind", ["text/html", "text/plain", "image/svg+xml", "application/pdf", None])
def test_policy_of_received_bytes_allows_no_style_and_no_script(kind: str | None) -> None:
    policy = untrusted_response(b"<p style='color:red'>x</p>", kind, "https://a.gov/").headers[
        "content-security-policy"
    ]
    assert "unsafe" not in policy
    found = directives(policy)
    assert "sandbox" in found and found["sandbox"] == []
    assert not {"script-src", "style-src", "connect-src", "frame-src"} & found.keys(), "default-src has them"
    assert {part.strip() for part in policy.split(";")} >= ALWAYS
