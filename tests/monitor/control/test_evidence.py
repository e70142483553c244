"""The newest signed head, its destinations and the last verification, as the API tells them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.evidence.delivery.deliver import deliver_heads
from rori_spiders.evidence.delivery.destinations import parse_destinations
from rori_spiders.evidence.heads import sign_head
from rori_spiders.ledger.audit import head_log
from rori_spiders.ledger.audit.head_log import StoredHead
from rori_spiders.ledger.operations import activity_log
from rori_spiders.operations.alerts.head_alerts import SigningResult, update_head_alerts
from tests.evidence.delivery.servers import Authority
from tests.evidence.ledgers import add_facts, new_ring
from tests.monitor.conftest import NOW

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState

NOWHERE = "rfc3161+http://127.0.0.1:9/tsr"  # nobody listens


def _told(client: TestClient) -> dict[str, Any]:
    answer = client.get("/api/v1/evidence")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_evidence_without_heads_is_told_so(viewer: TestClient) -> None:
    told = _told(viewer)
    assert (told["newest"], told["destinations"], told["verification"], told["refused"]) == (None, [], None, None)
    assert told["uncovered"] == told["facts"]


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_evidence_head_is_told_with_what_arrived_and_what_failed(
    served: AppState, viewer: TestClient, tmp_path: Path
) -> None:
    ring, ledger = new_ring(), served.ledger
    with Authority(tmp_path) as authority:
        file, stamps = f"file://{tmp_path}/heads.txt", f"rfc3161+{authority.url}/tsr"
        served.settings = {**served.settings, "RORI_EVIDENCE_HEADS": f"{file},{stamps},s3://evidence/heads"}
        sending = parse_destinations(f"{file},{stamps},{NOWHERE}", retention_days=1)
        for minute in (1, 2):
            add_facts(ledger, 2)
            assert sign_head(ledger, ring, now=NOW + timedelta(minutes=minute))
        deliver_heads(ledger, sending, now=NOW)
    add_facts(ledger)
    update_head_alerts(ledger, SigningResult(refused="The key is gone."), now=NOW)
    told = _told(viewer)
    newest = told["newest"]
    assert (newest["at"], newest["size"], newest["origin"]) == ("2026-11-20T15:02:00Z", told["facts"] - 2, ring.origin)
    assert newest["keys"] == [ring.verifiers[0].key_id.hex()]
    assert [(one["kind"], one["name"]) for one in newest["receipts"]] == [("timestamp", "127.0.0.1")]
    assert newest["receipts"][0]["at"].startswith("20")
    assert (told["uncovered"], told["refused"]) == (2, "The key is gone.")  # the last fact, and the alert
    found = {one["name"]: one for one in told["destinations"]}
    assert [one["kind"] for one in found.values()] == ["file", "timestamp_authority", "bucket", "timestamp_authority"]
    assert [one["missing"] for one in found.values()] == [0, 0, 2, 1]
    assert [one["is_configured"] for one in found.values()] == [True, True, True, False]
    assert found[NOWHERE]["error"].startswith("the server did not respond")
    assert found[NOWHERE]["failed_at"] == "2026-11-20T15:00:00Z"
    assert found["s3://evidence/heads"]["size"] == 0


def test_evidence_damaged_head_is_told(served: AppState, viewer: TestClient) -> None:
    with served.ledger.begin() as conn:
        head_log.add_head(conn, StoredHead(9, NOW, "nothing", "", b""))
    assert _told(viewer)["newest"]["problem"].startswith("It cannot be read: ")


def test_evidence_last_verification_is_told(served: AppState, viewer: TestClient) -> None:
    details = {"problems": 0, "kinds": {}, "extent": "Checked 2 files.", "is_whole": True, "head_copies": 1}
    with served.ledger.begin() as conn:
        for who, more in (("ann", {}), ("bob", {"problems": 2, "kinds": {"fact_changed": 2}})):
            activity_log.record_action(
                conn, now=NOW, actor=who, action=activity_log.VERIFY, target="ledger", details=details | more
            )
    assert _told(viewer)["verification"] == {
        **details, "at": "2026-11-20T15:00:00Z", "by": "bob", "problems": 2, "kinds": {"fact_changed": 2},
    }  # fmt: skip
