"""Pages with their states and reasons, runs with what they did not collect, one failure with its answer."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rori_spiders.crawl.source_finder import OneSource
from rori_spiders.evidence.imports.importer import Importer, ImportReport
from rori_spiders.evidence.imports.records import ArchivedCapture, Record
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.runs import listed_urls
from rori_spiders.reasons import Reason
from rori_spiders.reviews.events import PAGES_UNREAD
from rori_spiders.reviews.source_alerts import open_item
from rori_spiders.urls.list_marks import ListMarks
from tests.evidence.imports.samples import NOW, InProcess, a_file, law

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState

HTML = {"Content-Type": "text/html; charset=utf-8"}


def test_pages_list_has_state_and_reason(viewer: TestClient, pages: dict[str, dict[str, Any]]) -> None:
    states = {path: one["state"] for path, one in pages.items()}
    assert states == {
        "/": "captured",
        "/fees": "captured",
        "/hostile": "captured",
        "/rule.pdf": "captured",
        "/private/notes": "excluded",
        "/walled": "refused",
        "/broken": "failed",
        "/old": states["/old"],
    }
    assert states["/old"] in {"failed", "gone"}
    assert pages["/private/notes"]["reason"] == Reason("robots_disallowed")
    assert (pages["/private/notes"]["page_id"], pages["/fees"]["versions"]) == (None, 2)
    assert pages["/fees"]["last_changed_at"] > pages["/rule.pdf"]["last_changed_at"]
    refused = viewer.get("/api/v1/sources/guide/pages?state=refused&state=excluded").json()
    assert {one["state"] for one in refused["items"]} == {"refused", "excluded"}
    assert (refused["total"], refused["states"]["captured"]) == (2, 4)
    assert viewer.get("/api/v1/sources/guide/pages?q=FEES").json()["total"] == 1
    assert viewer.get("/api/v1/sources/guide/pages?q=robots.txt").json()["total"] == 1
    assert viewer.get("/api/v1/sources/guide/pages?q=100%25").json()["total"] == 0


def test_page_detail_has_versions_and_attempts(one_page: Callable[[str], dict[str, Any]]) -> None:
    fees = one_page("/fees")
    assert [one["change_type"] for one in fees["history"]] == ["modified", "new"]
    assert [one["state"] for one in fees["tries"]] == ["captured", "captured"]
    assert (fees["state"], fees["source_id"]) == ("captured", "guide")


def test_run_detail_lists_missing_pages(viewer: TestClient, guide: str) -> None:
    newest, first = viewer.get("/api/v1/sources/guide/runs").json()["items"]
    run = viewer.get(f"/api/v1/runs/{newest['run_id']}").json()
    assert run["counts"]["discovered"] == 8
    reasons = {one["reason"]: one["state"] for one in run["reasons"]}
    assert reasons[Reason("denied", http_status=403)] == "failed" and "excluded" in reasons.values()
    (fees, _hostile) = run["changed"]
    assert fees["url"] == f"{guide}/fees" and {one["change"] for one in fees["sections"]} == {"changed"}
    assert run["summary"]["coverage"] == [] or run["summary"]["coverage"][0]["listed"] > 0
    assert run["robots"][0]["outcome"] == "rules"
    urls = viewer.get(f"/api/v1/runs/{first['run_id']}/urls?state=excluded").json()
    assert [one["url"] for one in urls["items"]] == [f"{guide}/private/notes"]


def test_run_detail_counts_what_lists_name_outside_the_scope(viewer: TestClient, guide: str, tmp_path: Path) -> None:
    newest = viewer.get("/api/v1/sources/guide/runs").json()["items"][0]
    marks, outside = ListMarks(), Reason("outside_hosts")
    for _ in range(3):
        marks.exclude("page", outside, is_new=True)
    counted = listed_urls.exclusions_of_list(
        marks, newest["run_id"], f"{guide}/sitemap.xml", list_object="a" * 64, marks_object="b" * 64
    )
    with closing(open_ledger(f"sqlite:///{tmp_path / 'collect' / 'ledger.db'}")) as ledger, ledger.begin() as conn:
        listed_urls.add_exclusions(conn, counted, now=datetime(2026, 11, 1, tzinfo=UTC))
    run = viewer.get(f"/api/v1/runs/{newest['run_id']}").json()
    assert run["listed"] == [
        {
            "list_url": f"{guide}/sitemap.xml",
            "kind": "page",
            "reason": str(outside),
            "reason_code": "outside_hosts",
            "urls": 3,
        }
    ]
    assert run["counts"]["discovered"] == 8 + 3


def test_pages_with_pictures_that_nobody_read_are_marked(
    viewer: TestClient, served: AppState, pages: dict[str, dict[str, Any]]
) -> None:
    document = pages["/rule.pdf"]
    assert not any(one["has_unread_pages"] for one in pages.values())
    with served.ledger.begin() as conn:
        open_item(conn, "guide", PAGES_UNREAD, "1 page", pages=[document["url"]], now=datetime.now(UTC))
    listed = viewer.get("/api/v1/sources/guide/pages").json()["items"]
    assert [one["url"] for one in listed if one["has_unread_pages"]] == [document["url"]]
    assert viewer.get(f"/api/v1/pages/{document['page_id']}").json()["has_unread_pages"] is True


def test_lists_are_followed_to_their_end(viewer: TestClient) -> None:
    (newest, first) = viewer.get("/api/v1/sources/guide/runs").json()["items"]
    one = viewer.get("/api/v1/sources/guide/runs?limit=1").json()
    other = viewer.get(f"/api/v1/sources/guide/runs?limit=1&after={one['next']}").json()
    assert (one["items"], other["items"], other["next"]) == ([newest], [first], None)
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        some = viewer.get(f"/api/v1/runs/{newest['run_id']}/urls?limit=3&kind=page{after and f'&after={after}'}").json()
        seen += [each["url"] for each in some["items"]]
        after = some["next"]
    assert len(seen) == len(set(seen)) == 8


def test_failure_detail_has_attempts_and_inert_response(viewer: TestClient, pages: dict[str, dict[str, Any]]) -> None:
    number = pages["/walled"]["audit_id"]
    failure = viewer.get(f"/api/v1/failures/{number}").json()
    assert (failure["http_status"], failure["verdict"], failure["resolved"]) == (403, "denied", False)
    assert failure["severity"] == "high"
    assert [one["tier"] for one in failure["attempts"]] == ["http"]
    assert failure["response"]["state"] == "stored"
    answer = viewer.get(f"/api/v1/failures/{number}/response")
    assert "<script>" in answer.text
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'") and "script" not in policy
    excluded = viewer.get(f"/api/v1/failures/{pages['/private/notes']['audit_id']}").json()
    assert (excluded["state"], excluded["response"]["state"]) == ("excluded", "none")
    gone = viewer.get(f"/api/v1/failures/{excluded['audit_id']}/response")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "not_held")


def test_unknown_id_is_a_404(viewer: TestClient) -> None:
    for path, code in {
        "/api/v1/sources/none": "unknown_source",
        "/api/v1/sources/none/runs": "unknown_source",
        "/api/v1/sources/none/pages": "unknown_source",
        "/api/v1/sources/none/costs": "unknown_source",
        "/api/v1/runs/11111111-1111-4111-8111-111111111111": "unknown_run",
        "/api/v1/runs/x/urls": "unknown_run",
        "/api/v1/pages/999": "unknown_page",
        "/api/v1/versions/999-1": "unknown_page",
        "/api/v1/versions/1-99": "unknown_version",
        "/api/v1/versions/9999999999-1/raw": "unknown_version",
        "/api/v1/failures/999999999999": "unknown_failure",
    }.items():
        answer = viewer.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, code), path


def test_invalid_input_is_a_422(viewer: TestClient) -> None:
    run_id = viewer.get("/api/v1/sources/guide/runs").json()["items"][0]["run_id"]
    for path in (
        "/api/v1/pages/0",
        "/api/v1/pages/99999999999999999999",
        "/api/v1/versions/..%2F..%2Fetc",
        "/api/v1/versions/1",
        "/api/v1/sources/guide/pages?q=%00",
        "/api/v1/sources/guide/pages?limit=501",
        "/api/v1/sources/guide/pages?state=none",
        "/api/v1/sources/guide/runs?after=nothing",
        "/api/v1/sources/guide/runs?after=WzEsMl0",
        f"/api/v1/runs/{run_id}/urls?after=WyJhIiwiYiJd",
        "/api/v1/failures/0",
    ):
        answer = viewer.get(path)
        assert answer.status_code in {404, 422}, path
        assert answer.json()["error"]["code"] in {"invalid_input", "unknown_path", "unknown_cursor"}, path


def test_page_at_instant_names_version_clocks_and_what_is_not_known(
    viewer: TestClient, one_page: Callable[[str], dict[str, Any]]
) -> None:
    fees = one_page("/fees")
    second, first = fees["history"]
    path = f"/api/v1/pages/{fees['page_id']}/as-of"
    held = viewer.get(path, params={"at": first["captured_at"]}).json()
    assert (held["state"], held["version_id"], held["captured"]) == ("held", first["version_id"], first["captured_at"])
    assert held["version_leaf"] is not None and "not looked at in between" in held["says"]
    now = viewer.get(path, params={"at": "2999-01-01T00:00:00Z"}).json()
    assert now["version_id"] == second["version_id"] and now["as_of"] < "2999"
    before = viewer.get(path, params={"at": "2020-01-01T00:00:00+02:00"}).json()
    assert (before["state"], before["version_id"]) == ("not_captured", None)
    assert viewer.get(path, params={"at": "2020-01-01T00:00:00"}).status_code == 422
    for end in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"):
        assert viewer.get(path, params={"at": end}).status_code == 200, end
    assert viewer.get("/api/v1/pages/999/as-of", params={"at": "2020-01-01T00:00:00Z"}).status_code == 404


def test_page_detail_imported_texts_are_apart_from_versions(
    viewer: TestClient, served: AppState, one_page: Callable[[str], dict[str, Any]]
) -> None:
    before = one_page("/fees")
    with served.ledger.connect() as conn:
        source = served.catalog(conn).source("guide")
    importer = Importer(served.ledger, served.store, OneSource(source), InProcess(), "ann", NOW)
    days = ((1, 30), (2, 30), (3, 60))
    records: list[Record] = [
        ArchivedCapture(str(day), before["url"], NOW.replace(year=2019, day=day), 200, HTML, law(days), "archived")
        for day, days in days
    ]
    importer.import_records(a_file(), records, ImportReport())
    after = one_page("/fees")
    assert [(one["captured_at"][:10], one["trust"], one["imported_by"]) for one in after["imported"]] == [
        ("2019-12-03", "archived", "ann"),
        ("2019-12-01", "archived", "ann"),
    ]
    assert after | {"imported": []} == before
    newest, page_id = after["imported"][0]["content_hash"], after["page_id"]
    text = viewer.get(f"/api/v1/pages/{page_id}/imported/{newest}")
    assert text.status_code == 200 and "within 60 days" in text.text
    assert text.headers["X-Content-Type-Options"] == "nosniff"
    own = after["history"][0]["content_hash"]
    assert viewer.get(f"/api/v1/pages/{page_id}/imported/{own}").status_code == 404
    then = viewer.get(f"/api/v1/pages/{page_id}/as-of?at=2019-12-02T09:00:00Z").json()
    assert (then["state"], then["version_id"]) == ("not_captured", None)
    assert then["imported_says"].startswith("Not seen by this collector: wget.warc.gz, imported by ann")
