"""The list of changes: what it tells, filters, where it goes on; decisions on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.comparison.change_log import weigh_changes
from rori_spiders.ledger.pages import change_records, imported_captures, imported_changes, page_history
from rori_spiders.ledger.pages.imported_captures import ImportedCapture, ImportedFile
from tests.ledger.factories import RUN, SOURCE, a_run, a_version, at
from tests.monitor.conftest import NOW

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState
    from tests.monitor.conftest import Clock

EXCERPT = ["§ 1024.5", ["=", "within "], ["-", "60"], ["+", "61"], ["=", " days"]]


@pytest.fixture
def changed(served: AppState) -> AppState:
    """Three pages: a figure changed in the first, wording in the second, the third was collected first."""
    with served.ledger.begin() as conn:
        a_run(conn, RUN)
        rows = []
        for number, (kind, importance) in enumerate((("number", 3), ("text", 2), ("initial", 0)), start=1):
            page = page_history.ensure_page(conn, SOURCE, f"https://a.gov/{number}", now=at(0))
            for seq in (1, 2):
                page_history.add_version(
                    conn, page.page_id, a_version("abc"[seq], captured_at=at(number)), body_chars=1
                )
                details = {"rules": ["deadline"], "part": "12 CFR 1024", "excerpt": EXCERPT} if number == 1 else {}
                rows.append({
                    "page_id": page.page_id, "seq": seq, "source_id": SOURCE, "at": at(number),
                    "from_seq": seq - 1 or None, "kind": kind if seq == 2 else "initial",
                    "importance": importance if seq == 2 else 0, "described_at": at(9),
                    "details": details, "url": page.url,
                })  # fmt: skip
        change_records.add_changes(conn, rows)
        weigh_changes(conn)
    return served


def _listed(client: TestClient, **wanted: object) -> dict[str, Any]:
    answer = client.get("/api/v1/changes", params={name: str(value) for name, value in wanted.items()})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def _urls(client: TestClient, **wanted: object) -> list[str]:
    return [one["url"][-1] for one in _listed(client, **wanted)["items"]]


def test_changes_row_tells_what_why_and_versions(changed: AppState, viewer: TestClient) -> None:
    answer = _listed(viewer)
    one = answer["items"][-1]
    assert (one["sentence"], one["importance"], one["kind"]) == ("§ 1024.5: within 60 → 61 days", "high", "number")
    assert one["passages"] == 1
    assert one["reasons"] == ["a date or period by which something is due or takes effect"]
    assert (one["publication"], one["from_version"], one["to_version"]) == ("12 CFR 1024 2026-02-13", "1-1", "1-2")
    assert (one["publication_name"], one["site"], one["edit"]) == ("12 CFR 1024", "a.gov", None)
    assert answer["items"][0]["publication_name"] == (answer["items"][0]["title"] or answer["items"][0]["url"])


def test_changes_filters_and_order(changed: AppState, viewer: TestClient) -> None:
    assert _urls(viewer) == ["2", "1"]
    assert _urls(viewer, importance="high") == ["1"]
    assert _urls(viewer, kind="text") == ["2"]
    assert _urls(viewer, q="A.GOV/1") == ["1"]
    assert _urls(viewer, source="none") == []
    assert _urls(viewer, since=at(2).isoformat()) == ["2"]
    assert _urls(viewer, until=at(2).isoformat()) == ["1"]


def test_changes_list_goes_on_at_cursor(changed: AppState, viewer: TestClient) -> None:
    first = _listed(viewer, limit=1)
    assert _urls(viewer, limit=1, after=first["next"]) == ["1"]
    assert _listed(viewer, limit=1, after=first["next"])["next"] is None
    assert viewer.get("/api/v1/changes", params={"after": "x"}).status_code == 404


def test_changes_list_by_importance_keeps_publications_together(changed: AppState, viewer: TestClient) -> None:
    """The part's pages stand together and before what is newer; the list goes on at a cursor, also within one."""
    with changed.ledger.begin() as conn:
        rows = []
        for number, importance in ((4, 2), (5, 1)):
            page = page_history.ensure_page(conn, SOURCE, f"https://a.gov/{number}", now=at(0))
            page_history.add_version(conn, page.page_id, a_version("a", captured_at=at(number)), body_chars=1)
            rows.append({
                "page_id": page.page_id, "seq": 1, "source_id": SOURCE, "at": at(number), "from_seq": None,
                "kind": "text", "importance": importance, "described_at": at(9),
                "details": {"part": "12 CFR 1024"} if number == 4 else {},
            })  # fmt: skip
        change_records.add_changes(conn, rows)
        weigh_changes(conn)
    assert _urls(viewer) == ["5", "4", "2", "1"]
    assert _urls(viewer, order="importance") == ["1", "4", "2", "5"]
    seen: list[str] = []
    after: dict[str, str] = {}
    while True:
        answer = _listed(viewer, order="importance", limit=1, **after)
        seen += [one["url"][-1] for one in answer["items"]]
        if answer["next"] is None:
            break
        after = {"after": answer["next"]}
    assert seen == ["1", "4", "2", "5"]
    first = _listed(viewer, order="importance", limit=1)["items"][0]
    assert first["together"] == {"changes": 2, "pages": 2}  # the answer has one of them
    assert _listed(viewer, importance="high", limit=1)["items"][0]["together"] == {"changes": 1, "pages": 1}
    low = _listed(viewer, order="importance", q="gov/5")["items"][0]  # stands with its site
    assert (low["importance"], low["together"]) == ("low", {"changes": 1, "pages": 1})
    assert viewer.get("/api/v1/changes", params={"order": "importance", "after": "x"}).status_code == 404


def test_changes_read_by_one_person_stay_unread_for_another(
    changed: AppState, viewer: TestClient, operator: TestClient
) -> None:
    order = {"changes": ["1-2", "2-2"]}
    assert viewer.post("/api/v1/session/changes/read", json=order).status_code == 204
    assert (_urls(viewer, unread=True), _urls(operator, unread=True)) == ([], ["2", "1"])
    assert all(one["read_at"] for one in _listed(viewer)["items"])
    assert not any(one["read_at"] for one in _listed(operator)["items"])
    viewer.post("/api/v1/session/changes/read", json={"changes": ["2-2"], "read": False})
    assert _urls(viewer, unread=True, order="importance") == ["2"]
    unread = [one.get("/api/v1/changes/summary").json()["unread"] for one in (viewer, operator)]
    assert unread == [1, 2]
    operator.post("/api/v1/changes/review", json={"changes": ["2-2"], "decision": "not_material"})
    assert viewer.get("/api/v1/changes/summary").json()["unread"] == 0
    order["changes"].append("77-1")
    assert operator.post("/api/v1/session/changes/read", json=order).status_code == 404
    assert _urls(operator, unread=True) == ["2", "1"]


def test_changes_of_an_owned_agency_are_its_owners_until_assigned(
    changed: AppState, viewer: TestClient, operator: TestClient
) -> None:
    source, agency = _source_with_agency(changed)
    with changed.ledger.begin() as conn:
        page = page_history.ensure_page(conn, source, "https://a.gov/4", now=at(0))
        page_history.add_version(conn, page.page_id, a_version("a", captured_at=at(4)), body_chars=1)
        row = {"page_id": page.page_id, "seq": 1, "source_id": source, "at": at(4), "from_seq": None, "kind": "text"}
        row |= {"importance": 2, "described_at": at(9), "details": {}, "url": page.url}
        change_records.add_changes(conn, [row])
    order = {"agency": agency, "owner": "vera"}
    assert viewer.post("/api/v1/changes/owners", json=order).status_code == 403
    assert operator.post("/api/v1/changes/owners", json=order).status_code == 204
    assert {"agency": agency, "owner": "vera"}.items() <= {
        name: value
        for one in viewer.get("/api/v1/changes/owners").json()
        if one["owner"]
        for name, value in one.items()
    }.items()
    assert [(one["url"], one["owner"]) for one in _listed(viewer, mine=True)["items"]] == [(page.url, "vera")]
    operator.post("/api/v1/changes/assign", json={"changes": [f"{page.page_id}-1"], "assignee": "olga"})
    assert _urls(viewer, mine=True) == []
    assert operator.post("/api/v1/changes/owners", json={"agency": agency, "owner": None}).status_code == 204
    assert _listed(viewer, q="a.gov/4")["items"][0]["owner"] is None
    for wrong in ({"agency": "FBI", "owner": "vera"}, {"agency": agency, "owner": "nobody"}):
        assert operator.post("/api/v1/changes/owners", json=wrong).status_code == 404


def _source_with_agency(served: AppState) -> tuple[str, str]:
    with served.ledger.connect() as conn:
        agency, ids = next(iter(served.catalog(conn).agencies.items()))
    return ids[0], agency


def test_changes_review_is_recorded_once_and_taken_back(changed: AppState, operator: TestClient) -> None:
    order = {"changes": ["1-2", "2-2"], "decision": "material", "reason": " new deadline "}
    assert operator.post("/api/v1/changes/review", json=order).json() == {"high": 0, "medium": 0, "low": 0}
    [last, _] = _listed(operator, review="material")["items"]
    assert (last["reason"], last["reviewed_by"]) == ("new deadline", "olga")
    operator.post("/api/v1/changes/review", json={"changes": ["1-2"], "decision": "open"})
    assert _urls(operator, review="open") == ["1"]


@pytest.mark.parametrize(("change", "status"), [("1-1", 404), ("77-1", 404), ("x", 404)])
def test_changes_review_of_what_is_no_change_records_nothing(
    changed: AppState, operator: TestClient, change: str, status: int
) -> None:
    answer = operator.post("/api/v1/changes/review", json={"changes": ["1-2", change], "decision": "material"})
    assert answer.status_code == status
    assert _urls(operator, review="open") == ["2", "1"]


def test_changes_review_by_viewer_is_refused(changed: AppState, viewer: TestClient) -> None:
    assert viewer.post("/api/v1/changes/review", json={"changes": ["1-2"], "decision": "material"}).status_code == 403


def test_noise_lines_are_refused_without_decision_or_texts(changed: AppState, operator: TestClient) -> None:
    def refused(change_id: str) -> tuple[int, str]:
        answer = operator.get("/api/v1/changes/noise-lines", params={"change": change_id})
        return answer.status_code, answer.json()["error"]["message"]

    assert refused("99-2") == (404, "no such change: 99-2. `scrapy changes` lists them with their ids.")
    assert refused("1-2")[0] == 409 and "nobody has called it not material" in refused("1-2")[1]
    order = {"changes": ["1-2"], "decision": "not_material"}
    assert operator.post("/api/v1/changes/review", json=order).status_code == 200
    assert refused("1-2")[0] == 409 and "its two texts are not at hand" in refused("1-2")[1]


def test_changes_assigned_in_bulk_are_listed_by_person_and_overdue(changed: AppState, operator: TestClient) -> None:
    order = {"changes": ["1-2", "2-2"], "assignee": "olga", "due_on": f"{NOW:%Y-%m-%d}", "comment": "our letters?"}
    assert operator.post("/api/v1/changes/assign", json=order).status_code == 204
    assert _urls(operator, mine=True) == _urls(operator, assignee="olga") == ["2", "1"]
    assert _urls(operator, overdue=True) == []
    late = {"changes": ["1-2", "2-2"], "assignee": "olga", "due_on": "2026-11-19"}
    operator.post("/api/v1/changes/assign", json=late)
    assert _urls(operator, overdue=True) == ["2", "1"]
    operator.post("/api/v1/changes/comment", json={"changes": ["1-2"], "text": "done"})
    operator.post("/api/v1/changes/review", json={"changes": ["1-2"], "decision": "closed"})
    first, last = _listed(operator)["items"]
    assert (first["assignee"], first["due_on"], first["overdue"], last["overdue"]) == (
        "olga", "2026-11-19", True, False,
    )  # fmt: skip
    assert [(one["by"], one["text"]) for one in last["comments"]] == [("olga", "our letters?"), ("olga", "done")]
    assert operator.get("/api/v1/changes/summary").json()["overdue"] == 1
    operator.post("/api/v1/changes/assign", json={"changes": ["1-2", "2-2"], "assignee": None})
    assert _urls(operator, mine=True) == []


def test_changes_assigned_to_a_stranger_are_refused(changed: AppState, operator: TestClient) -> None:
    answer = operator.post("/api/v1/changes/assign", json={"changes": ["1-2"], "assignee": "nobody"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_user")
    assert operator.post("/api/v1/changes/comment", json={"changes": ["1-2"], "text": " "}).status_code == 422


def test_changes_summary_counts_open_and_weeks(changed: AppState, operator: TestClient, clock: Clock) -> None:
    clock.now = at(days=20)
    summary = operator.get("/api/v1/changes/summary").json()
    assert (summary["open"], summary["undescribed"]) == ({"high": 1, "medium": 1, "low": 0}, 0)
    assert (len(summary["weeks"]), summary["oldest_open_at"]) == (12, "2026-02-13T14:31:00Z")
    with_changes = [week for week in summary["weeks"] if week["high"] or week["medium"] or week["low"]]
    assert with_changes == [{"starts_on": "2026-02-09", "high": 1, "medium": 1, "low": 0}]
    operator.post("/api/v1/changes/review", json={"changes": ["1-2", "2-2"], "decision": "material"})
    summary = operator.get("/api/v1/changes/summary").json()
    assert (summary["open"], summary["oldest_open_at"]) == ({"high": 0, "medium": 0, "low": 0}, None)


def test_imported_changes_are_a_list_of_their_own(changed: AppState, viewer: TestClient) -> None:
    before = viewer.get("/api/v1/changes/summary").json()
    file = ImportedFile("import-1", "warc", "old.warc.gz", "f" * 64, None, "ann", at(9))
    captures = [
        ImportedCapture(
            import_id="import-1", record=str(day), source_id=SOURCE, url="https://a.gov/1", captured_at=at(day),
            recorded_at=at(9), state="imported", trust="archived", raw_hash=digit * 64, content_hash=digit * 64,
        )
        for day, digit in enumerate("abbc")
    ]  # fmt: skip
    with changed.ledger.begin() as conn:
        imported_captures.ensure_import(conn, file)
        imported_captures.add_captures(conn, captures)
        pairs = imported_changes.list_undescribed_pairs(conn, 10)
        details = {"rules": ["deadline"], "excerpt": EXCERPT}
        described = {"kind": "number", "importance": 3, "details": details, "described_at": at(9)}
        names = ("change_id", "import_id", "record", "from_import_id", "from_record")
        rows = [{name: getattr(one, name) for name in names} | described for one in pairs]
        imported_changes.add_imported_changes(conn, rows)
    first = viewer.get("/api/v1/changes/imported", params={"limit": 1}).json()
    second = viewer.get("/api/v1/changes/imported", params={"limit": 1, "after": first["next"]}).json()
    found = [*first["items"], *second["items"]]
    assert [(one["stated_at"], one["previously_stated_at"]) for one in found] == [
        ("2026-02-13T14:33:00Z", "2026-02-13T14:32:00Z"),
        ("2026-02-13T14:31:00Z", "2026-02-13T14:30:00Z"),
    ]
    assert second["next"] is None
    one = found[0]
    assert (one["provenance"], one["trust"], one["page_id"], one["imported_from"]) == (
        *("imported", "archived", 1, "old.warc.gz"),
    )
    assert one["sentence"] == "§ 1024.5: within 60 → 61 days"
    for none in ({"q": "nothing"}, {"kind": "text"}, {"source": "other"}, {"since": "2026-03-01T00:00:00Z"}):
        assert viewer.get("/api/v1/changes/imported", params=none).json()["items"] == [], none
    after = viewer.get("/api/v1/changes/summary").json()
    assert (before["imported"], after["imported"]) == (0, 2)
    assert after == before | {"imported": 2}  # what this collector saw is counted as before
