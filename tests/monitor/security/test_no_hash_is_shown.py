"""Hashes of passwords and sessions stay in the ledger: no endpoint answers with one, to nobody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.operations import accounts
from rori_spiders.monitor.security import passwords
from tests.house.code import PACKAGE

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState

pytestmark = [pytest.mark.parametrize("dialect", ["sqlite"]), pytest.mark.usefixtures("quick_passwords")]


def test_no_answer_holds_hash_of_password_or_session(operator: TestClient, served: AppState) -> None:
    password_hash = passwords.hash_password("correct horse battery")
    with served.ledger.begin() as conn:
        accounts.add_user(conn, "anna", role="operator", password_hash=password_hash, now=served.now())
        hashes = {password_hash, *conn.exec_driver_sql("SELECT token_hash FROM sessions").scalars()}
    # Without parameters: an endpoint that needs one answers with the rows of a source, a page, a run or a corpus.
    document = json.loads((PACKAGE / "monitor" / "web" / "openapi.json").read_text("utf-8"))  # as the API: test_openapi
    reads = {path for path, methods in document["paths"].items() if "get" in methods and "{" not in path}
    assert len(hashes) == 2 and {"/api/v1/session", "/api/v1/actions"} <= reads
    streams = {path for path in reads if path.endswith(("/events", "/stream"))}
    for path in sorted(reads - streams):
        text = operator.get(path).text
        assert not [found for found in hashes if found in text], path
