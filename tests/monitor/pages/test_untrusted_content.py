"""Text of strangers in every field that comes from outside is text: it is sent as it is, whatever characters it has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.tables import pages, run_urls, runs, versions
from rori_spiders.reasons import Reason, ReasonCode
from tests.monitor.collected_site import SCRIPT

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState

NASTY = f"{SCRIPT} \ud800 \x00 \u202e \u2028 ]]> {{}} %s {'x' * 5_000}"


@pytest.fixture
def spoilt(served: AppState, viewer: TestClient, guide: str) -> dict[str, Any]:
    """The newest run, in whose rows all that comes from outside is nasty."""
    run: dict[str, Any] = viewer.get("/api/v1/sources/guide/runs").json()["items"][0]
    with served.ledger.begin() as conn:
        conn.execute(update(pages).values(title=NASTY))
        conn.execute(update(versions).values(title=NASTY, publisher_version=NASTY))
        conn.execute(update(versions).values(section_hashes=[[NASTY, "1" * 64]]))
        conn.execute(update(run_urls).values(reason=NASTY, found_on=NASTY))
        conn.execute(update(runs).values(reason=NASTY))
        headers = {"Content-Type": ["text/html; charset=\ud800"], NASTY: [NASTY, NASTY]}
        tries = [{"tier": "http", "at": None, "status": None, "verdict": NASTY, "reason": NASTY}]
        row = audit_log.AuditRow(
            run_id=run["run_id"],
            timestamp=served.now(),
            manifest_id="guide",
            url=f"{guide}/broken",
            engine="http",
            state="failed",
            build=NASTY[:40],
            reason=NASTY,
            error=NASTY,
            final_url=NASTY,
            redirects=[(302, NASTY)],
            response_headers=headers,
            attempts=tries,
        )
        audit_log.append_row(conn, row)
        nasty_url = {"url": f"https://a.gov/{NASTY}"}
        conn.execute(update(run_urls).where(run_urls.c.state == "excluded").values(nasty_url))
    return run


def test_api_any_text_is_sent(viewer: TestClient, spoilt: dict[str, Any]) -> None:
    (page, *_) = viewer.get("/api/v1/sources/guide/pages?state=failed").json()["items"]
    captured = viewer.get("/api/v1/sources/guide/pages?q=fees").json()["items"][0]
    detail = viewer.get(f"/api/v1/pages/{captured['page_id']}").json()
    newest, older = detail["history"]
    for path in (
        "/api/v1/sources/guide",
        "/api/v1/sources/guide/runs",
        "/api/v1/sources/guide/pages?state=excluded",
        f"/api/v1/runs/{spoilt['run_id']}",
        f"/api/v1/runs/{spoilt['run_id']}/urls",
        f"/api/v1/pages/{captured['page_id']}",
        f"/api/v1/pages/{captured['page_id']}/difference?from={older['version_id']}&to={newest['version_id']}",
        f"/api/v1/versions/{newest['version_id']}",
        f"/api/v1/versions/{newest['version_id']}/raw",
        f"/api/v1/failures/{page['audit_id']}",
    ):
        answer = viewer.get(path)
        assert answer.status_code == 200, (path, answer.text[:300])
        kind = answer.headers["content-type"]
        assert kind == "application/json" or "sandbox" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert detail["title"].startswith(SCRIPT)


def test_api_list_of_hostile_urls_is_followed(viewer: TestClient, spoilt: dict[str, Any]) -> None:
    seen, after = 0, ""
    while True:
        some = viewer.get(f"/api/v1/runs/{spoilt['run_id']}/urls?limit=1&kind=page{after}").json()
        seen += len(some["items"])
        if some["next"] is None:
            break
        after = f"&after={some['next']}"
    assert seen == 8


def test_run_detail_held_run_is_marked(viewer: TestClient, served: AppState, guide: str) -> None:
    run_id = viewer.get("/api/v1/sources/guide/runs").json()["items"][0]["run_id"]
    held = frontier.FinalState(f"{guide}/walled", "failed", Reason(ReasonCode.SUSPECT, percent=12))
    with served.ledger.begin() as conn:
        conn.execute(
            update(run_urls)
            .where(run_urls.c.url == held.url)
            .values(state="failed", reason=held.reason, reason_code="suspect")
        )
    assert viewer.get(f"/api/v1/runs/{run_id}").json()["held"] == [{"url": held.url, "reason": held.reason}]
    (page,) = viewer.get("/api/v1/sources/guide/pages?state=held").json()["items"]
    assert page["url"] == held.url and json.dumps(page["reason"])
