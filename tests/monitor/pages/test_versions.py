"""A version: its facts, its text, its bytes under a sandbox, its envelope; what is not there any more is told."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from rori_spiders.ledger.tables import envelopes, versions
from rori_spiders.monitor.pages import queries
from rori_spiders.monitor.security import untrusted_content
from tests.monitor.collected_site import SCRIPT
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState
    from tests.staging.s3.fixtures import Area

    Page = Callable[[str], dict[str, Any]]


def test_version_has_facts_and_citations(viewer: TestClient, one_page: Page) -> None:
    newest, first = one_page("/fees")["history"]
    version = viewer.get(f"/api/v1/versions/{first['version_id']}").json()
    assert (version["version_after"], version["version_before"]) == (newest["version_id"], None)
    assert version["replaced_at"] == newest["captured_at"] and not version["is_newest"]
    (cited,) = [one for one in version["citations"] if one["kind"] == "cfr"]
    assert cited["canonical"] == "12 C.F.R. § 1026.36" and cited["times"] == 2
    assert cited["target"].startswith("https://")
    assert {version[what]["state"] for what in ("text", "raw", "envelope")} == {"stored"}
    assert [one["path"] for one in version["sections"]][-1].endswith("Records")
    assert version["unread_pages"] == []


def test_version_text_equals_envelope(viewer: TestClient, one_page: Page) -> None:
    one = one_page("/fees")["history"][0]
    text = viewer.get(f"/api/v1/versions/{one['version_id']}/markdown")
    assert text.headers["content-type"] == "text/markdown; charset=utf-8"
    assert f"sha256:{sha256(text.content).hexdigest()}" == one["content_hash"]
    envelope = viewer.get(f"/api/v1/versions/{one['version_id']}/envelope")
    assert json.loads(envelope.content)["content"]["body"] == text.text
    assert envelope.headers["content-type"].startswith("application/json")


def test_version_hostile_bytes_run_nowhere(viewer: TestClient, one_page: Page) -> None:
    raw = viewer.get(f"/api/v1/versions/{one_page('/hostile')['history'][0]['version_id']}/raw")
    assert SCRIPT in raw.text, "the bytes are as they came"
    assert raw.headers["content-type"].startswith("text/html")
    assert raw.headers["content-security-policy"] == untrusted_content.SANDBOX_POLICY
    assert raw.headers["x-content-type-options"] == "nosniff"
    assert raw.headers["cross-origin-opener-policy"] == "unsafe-none", "or browsers refuse to open it in a tab"


def test_version_document_is_a_download(viewer: TestClient, one_page: Page) -> None:
    raw = viewer.get(f"/api/v1/versions/{one_page('/rule.pdf')['history'][0]['version_id']}/raw")
    assert raw.content.startswith(b"%PDF") and raw.headers["content-type"] == "application/pdf"
    assert raw.headers["content-disposition"].startswith('attachment; filename="rule.pdf"')


@cases(
    ("body", "kind", "url", "given", "name"),
    [
        (b"<svg onload='alert(1)'/>", "image/svg+xml", "https://a.gov/a.svg", "application/octet-stream", "a.svg"),
        (b"<x/>", "application/xml", "https://a.gov/", "text/plain; charset=utf-8", None),
        (b"alert(1)", "text/javascript; charset=x", "https://a.gov/", "text/plain; charset=x", None),
        (b"<script>", None, "https://a.gov/", "text/html", None),
        (b"<script>", 'text/html; charset="utf-16\r\nx: y', "https://a.gov/", "text/html; charset=utf-16", None),
        (b"PK\x03\x04", "text/html", "https://a.gov/..%2f..%2fetc/passwd", "application/octet-stream", "passwd"),
        (b"%PDF-", "text/html", 'https://a.gov/a"b\r\n;', "application/octet-stream", "a_b.pdf"),
        (b"MZ", "application/x-msdownload", "https://a.gov/", "application/octet-stream", "page"),
    ],
)
def test_version_raw_bytes_of_every_type(body: bytes, kind: str | None, url: str, given: str, name: str | None) -> None:
    answer = untrusted_content.untrusted_response(body, kind, url)
    assert answer.headers["content-type"] == given
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    saved = answer.headers.get("content-disposition")
    assert (saved is None) == (name is None)
    assert saved is None or saved.startswith(f'attachment; filename="{name}"')


def test_version_pruned_object_is_reported_with_known_facts(
    viewer: TestClient, one_page: Page, served: AppState, tmp_path: Path
) -> None:
    one = one_page("/fees")["history"][1]
    version = viewer.get(f"/api/v1/versions/{one['version_id']}").json()
    (tmp_path / "collect" / "staged" / version["envelope"]["path"]).unlink()
    with served.ledger.connect() as conn:
        path = conn.execute(select(envelopes.c.path).where(envelopes.c.path == version["envelope"]["path"])).scalar()
    for file in (tmp_path / "collect" / "staged" / "_objects").rglob("*.gz"):
        file.unlink()
    for what in ("markdown", "raw", "envelope"):
        answer = viewer.get(f"/api/v1/versions/{one['version_id']}/{what}")
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (404, "not_held"), what
        assert error["details"]["version"]["content_hash"] == one["content_hash"]
    with served.ledger.begin() as conn:
        pruned = update(envelopes).where(envelopes.c.path == path).values(state="pruned", pruned_at=served.now())
        conn.execute(pruned)
    answer = viewer.get(f"/api/v1/versions/{one['version_id']}/envelope")
    assert (answer.status_code, answer.json()["error"]["code"]) == (410, "not_held")
    assert answer.json()["error"]["details"]["envelope"]["state"] == "pruned"
    states = viewer.get(f"/api/v1/versions/{one['version_id']}").json()
    assert [states[what]["state"] for what in ("text", "raw", "envelope")] == ["missing", "missing", "pruned"]
    difference = viewer.get(f"/api/v1/pages/{one['page_id']}/difference")
    assert (difference.status_code, difference.json()["error"]["code"]) == (404, "not_held")


def test_version_screenshot_and_steps_are_shown(viewer: TestClient, one_page: Page, served: AppState) -> None:
    version_id = one_page("/fees")["history"][0]["version_id"]
    version = viewer.get(f"/api/v1/versions/{version_id}").json()
    assert (version["screenshot"]["state"], version["screenshot_hash"], version["steps"]) == ("none", None, [])
    assert viewer.get(f"/api/v1/versions/{version_id}/screenshot").status_code == 404
    picture = b"\xff\xd8\xff of a page"
    digest = served.store.put_object(picture)
    page_id, seq = version_id.split("-")
    step = {"step": "click", "target": "#more", "result": "3 times"}
    with served.ledger.begin() as conn:
        its = (versions.c.page_id == int(page_id), versions.c.seq == int(seq))
        conn.execute(update(versions).where(*its).values(screenshot_object=digest))
    shown = viewer.get(f"/api/v1/versions/{version_id}/screenshot")
    assert (shown.content, shown.headers["content-type"]) == (picture, "image/jpeg")
    version = viewer.get(f"/api/v1/versions/{version_id}").json()
    assert (version["screenshot"]["state"], version["screenshot_hash"]) == ("stored", f"sha256:{digest}")
    attempts: list[dict[str, Any]] = [{"tier": "http"}, {"tier": "browser", "steps": [step]}]
    assert [one.model_dump() for one in queries.steps_of(attempts)] == [step]


def test_version_texts_in_bucket_are_shown(viewer: TestClient, one_page: Page, served: AppState, area: Area) -> None:
    folder, bucket = served.store, area.store()
    new, old = one_page("/fees")["history"]
    asked = [f"/api/v1/versions/{new['version_id']}{what}" for what in ("", "/markdown", "/raw", "/envelope")]
    asked.append(f"/api/v1/pages/{new['page_id']}/difference?from={old['version_id']}")
    in_folder = [viewer.get(path).content for path in asked]
    for path in folder.paths():
        bucket.write_envelope(path, folder.read(path))
    for digest in folder.objects():
        bucket.put_object(folder.get_object(digest))
    served.store = bucket
    assert [viewer.get(path).content for path in asked] == in_folder
    keys = area.keys()
    for key in keys:
        area.client.delete_object(Bucket=area.name, Key=f"staged/{key}")
    missing = [viewer.get(path) for path in asked[1:]]
    assert [one.json()["error"]["code"] for one in missing] == ["not_held"] * 4
    assert viewer.get(asked[0]).json()["raw"]["state"] == "missing"
