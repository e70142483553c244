"""`scrapy changes`: a history of texts, described once, listed in each form."""

from __future__ import annotations

import getpass
import json
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from rori_spiders.comparison.change_log import describe_new_versions
from rori_spiders.comparison.version_diff import TextArchive
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import accounts, activity_log
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.change_records import (
    ChangeFilter,
    ChangePosition,
    count_undescribed,
    list_changes,
    record_initial_captures,
)
from rori_spiders.ledger.tables import changes, versions
from rori_spiders.manifest.loading import load_files
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import NOON, SITE, an_id
from tests.ledger.factories import a_version
from tests.staging.job_driver import SOURCE, Job, begin, next_run
from tests.support.databases import open_empty_ledger
from tests.support.output_schema import find_problems
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]

OTHER, LATE = f"{SITE}5/", f"{SITE}6/"


@pytest.fixture
def history(project: Project) -> Project:
    """Two pages are collected; one gets another figure; a third appears; one is removed, and is back as it was."""
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        for visit in begin(job, SITE, OTHER):
            job.page(visit, f"Rule\n\nPay within 60 days. {visit.url}")
        next_run(job)
        job.page(begin(job, SITE)[0], f"Rule\n\nPay within 61 days. {SITE}")
        job.page(begin(job, LATE)[0], "A page that nobody saw before")
        next_run(job)
        run_id = begin(job, OTHER)[0].run_id
        with ledger.begin() as conn:
            page = page_history.find_page(conn, SOURCE, OTHER)
            assert page is not None
            gone = a_version("0", run_id=run_id, captured_at=job.now, change_type="deleted")
            page_history.add_version(conn, page.page_id, gone, body_chars=0)
        next_run(job)
        job.page(begin(job, OTHER)[0], f"Rule\n\nPay within 60 days. {OTHER}")
        next_run(job)
    return project


def _listed(typed: Typed, *options: str) -> list[dict[str, object]]:
    said = typed("changes", "--format", "json", *options)
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert isinstance(found, list)
    return found


def test_changes_of_a_history_are_told_newest_first_without_initial_captures(history: Project, typed: Typed) -> None:
    found = _listed(typed)
    assert [(row["url"], row["kind"], row["importance"]) for row in found] == [
        (OTHER, "returned", "medium"),
        (OTHER, "removed", "high"),
        (SITE, "number", "high"),
        (LATE, "new_page", "medium"),
    ]
    assert found[2]["sentence"] == f"Rule: Pay within 60 → 61 days. {SITE}"
    assert (found[2]["marks"], found[2]["from_version"], found[2]["to_version"]) == ([["number", "60", "61"]], 1, 2)
    assert len(_listed(typed, "--initial")) == len(found) + 2
    assert {row["url"] for row in _listed(typed, "--kind", "initial")} == {SITE, OTHER}


def test_changes_filters_narrow_the_list(history: Project, typed: Typed) -> None:
    assert {row["kind"] for row in _listed(typed, "--importance", "high")} == {"removed", "number"}
    assert [row["kind"] for row in _listed(typed, "--kind", "number", "--kind", "returned")] == ["returned", "number"]
    assert typed("changes", "--source", "another").code == 2
    assert _listed(typed, "--since", f"{NOON + timedelta(days=1):%Y-%m-%d}") == []
    since = f"{NOON + timedelta(hours=2):%Y-%m-%dT%H:%M:%SZ}"
    assert {row["kind"] for row in _listed(typed, "--since", since)} == {"removed", "returned"}


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("table", "4 changes: 2 high, 2 medium. `scrapy diff SOURCE URL`"),
        ("csv", "high,2026-02-13T13:00:30Z,1-2,cfpb-reg-x,"),
        ("md", "- **high** · 2026-02-13 ·"),
        ("atom", "<summary>Rule: Pay within 60 → 61 days."),
    ],
)
def test_changes_in_each_form_tell_the_same(history: Project, typed: Typed, form: str, expected: str) -> None:
    said = typed("changes", "--format", form)
    assert said.code == 0, said.err
    assert expected in said.out


def test_changes_order_importance_lists_the_most_important_publications_first(history: Project, typed: Typed) -> None:
    found = _listed(typed, "--order", "importance")
    assert next(row["kind"] for row in found) == "removed", "the newest, a page that is back, matters less"
    assert sorted(map(str, found)) == sorted(map(str, _listed(typed))), "nothing vanishes"
    for form in ("table", "csv", "md", "atom"):
        assert typed("changes", "--format", form, "--order", "importance").out.count("60 → 61 days") == 1, form


def test_changes_order_importance_as_markdown_has_the_most_important_publications_first(
    history: Project, typed: Typed
) -> None:
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.begin() as conn:
        latest = conn.execute(select(versions.c.run_id).order_by(versions.c.captured_at.desc()).limit(1)).scalar_one()
        page = page_history.ensure_page(conn, SOURCE, f"{SITE.partition('/rules')[0]}/about/", now=NOON)
        late = a_version("0", run_id=latest, captured_at=NOON + timedelta(days=2), title="About us", change_type="new")
        page_history.add_version(conn, page.page_id, late, body_chars=1)
    about, rule = "## About us (medium)", "## 12 CFR 1024: 3 pages (high)"
    for order, expected in ([(), [about, rule]], [("--order", "importance"), [rule, about]]):
        lines = typed("changes", "--format", "md", *order).out.splitlines()
        assert [line for line in lines if line.startswith("## ")] == expected
        assert sum(line.startswith("- **") for line in lines) == 5, "nothing vanishes"


def test_changes_are_described_once_and_not_again(history: Project, typed: Typed) -> None:
    typed("changes")
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.connect() as conn:
        first = conn.execute(select(changes)).all()
        assert count_undescribed(conn) == 0
        assert len(first) == len(conn.execute(select(versions)).all())
    typed("changes")
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.connect() as conn:
        assert conn.execute(select(changes)).all() == first


def test_changes_without_the_text_say_so(history: Project, typed: Typed) -> None:
    store = DiskStore(history.staging)
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.connect() as conn:
        [text] = conn.execute(
            select(versions.c.body_object).where(versions.c.seq == 1, versions.c.page_id == 1)
        ).scalars()
    [path] = history.staging.rglob(f"*{text}*")
    path.unlink()
    assert not store.has_object(text)
    [row] = _listed(typed, "--kind", "unknown")
    assert (row["url"], row["importance"], row["rules"]) == (SITE, "medium", ["not_compared"])
    assert "is missing" in str(row["notes"])


def test_describing_stops_at_its_limit_and_goes_on(history: Project) -> None:
    with closing(open_ledger(str(history.ledger))) as ledger:
        # A manifest that cannot be read has no noise lines, and keeps nothing from being described.
        archive = TextArchive(ledger, DiskStore(history.staging), lambda: load_files([history.folder / "none.json"]))
        assert ledger.write(lambda conn: record_initial_captures(conn, now=NOON)) == 4
        assert describe_new_versions(archive, clock=lambda: NOON, longest_s=0.0) == 4
        assert describe_new_versions(archive, clock=lambda: NOON, stopped=lambda: True) == 4
        assert describe_new_versions(archive, clock=lambda: NOON) == 0


def test_changes_before_any_job_says_what_to_do(typed: Typed) -> None:
    said = typed("changes")
    assert said.code == 2
    assert "nothing collected yet: run `scrapy collect`" in said.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--source", "hud-x"), "unknown source 'hud-x'"),
        (("--kind", "x"), "no kind of change 'x'. Kinds: initial, new_page"),
        (("--since", "2026-03-01", "--until", "2026-02-01"), "--since is not before --until"),
        (("review", "x", "--decision", "material"), "expected a change such as 12-3"),
        (("review", "999-1", "--decision", "material"), "no such change: 999-1"),
        (("review", "1-1", "--decision", "material"), "no such change: 1-1"),
        (("assign", "1-2", "--to", "benn"), "'benn' is neither a user of the monitor nor you"),
        (("assign", "1-2", "--to", "ben", "--due", "soon"), "expected a day such as 2026-12-04, not 'soon'"),
        (("unassign", "999-1"), "no such change: 999-1"),
        (("comment", "1-2", "--text", " "), "--text is empty"),
    ],
)
def test_changes_wrong_arguments_are_refused(
    history: Project, typed: Typed, options: tuple[str, ...], message: str
) -> None:
    said = typed("changes", *options)
    assert said.code == 2
    assert message in said.err


def test_changes_initial_captures_of_older_releases_are_read(history: Project, typed: Typed) -> None:
    initial = {row["url"] for row in _listed(typed, "--kind", "initial")}
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.begin() as conn:
        conn.execute(changes.update().where(changes.c.importance == 0).values(kind="baseline"))
    rows = _listed(typed, "--kind", "initial")
    assert ({row["url"] for row in rows}, {row["kind"] for row in rows}) == (initial, {"initial"})


def test_changes_rules_are_listed(typed: Typed) -> None:
    said = typed("changes", "rules")
    assert said.code == 0
    assert "a word by which a rule binds, permits or excepts" in said.out


def test_changes_review_is_recorded_with_name_and_can_be_taken_back(history: Project, typed: Typed) -> None:
    number, page = (row["change"] for row in _listed(typed) if row["kind"] in {"number", "new_page"})
    said = typed("changes", "review", str(number), "--decision", "material", "--reason", "60 to 61 days")
    assert (said.code, said.out.startswith("Recorded material for 1 change, by ")) == (0, True), said.err
    [row] = _listed(typed, "--review", "material")
    assert (row["change"], row["review_reason"], bool(row["reviewed_by"])) == (number, "60 to 61 days", True)
    assert len(_listed(typed, "--review", "open")) == 3
    typed("changes", "review", str(number), str(page), "--decision", "not_material")
    assert len(_listed(typed, "--review", "not_material")) == 2
    typed("changes", "review", str(number), "--decision", "open")
    assert [row["change"] for row in _listed(typed, "--review", "not_material")] == [page]
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.connect() as conn:
        done = [action for action in activity_log.recent_actions(conn) if action["action"] == "review_change"]
    assert [(one["target"], one["details"]["decision"], one["details"]["before"]) for one in done] == [
        (number, "open", "not_material"),
        (page, "not_material", "open"),
        (number, "not_material", "material"),
        (number, "material", "open"),
    ]


def test_changes_noise_proposes_lines_with_their_effect_and_they_hold_once_in_the_manifest(
    project: Project, typed: Typed
) -> None:
    text = "Guide\n\nGuests online: {guests}.\n\nKeep {copies} copies of it. {url}"
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        for guests, copies in ((10, 2), (411, 2), (5, 3), (77, 3)):
            job.page(begin(job, SITE)[0], text.format(guests=guests, copies=copies, url=SITE))
            next_run(job)
        _listed(typed)
        refused = typed("changes", "noise", "1-2")
        assert refused.code != 0 and "1-2: nobody has called it not material" in refused.err
        assert typed("changes", "review", "1-2", "--decision", "not_material").code == 0
        printed = typed("changes", "noise", "1-2")
        assert printed.code == 0, printed.err
        assert '"noise_lines": ["Guests online: #."]' in printed.out
        assert "Of the last 3 changes above low importance of this source, 2 would rank low." in printed.out
        assert "Warning: in 2 of them figures, dates or citations changed." in printed.out
        document = json.loads(typed("changes", "noise", "1-2", "--format", "json").out)
        assert find_problems("changes-noise", document) == []
        effects = [(one["change"], one["was"], one["importance"], one["figures"]) for one in document["effects"]]
        assert effects == [("1-4", "medium", "low", [["5", "77"]]), ("1-2", "medium", "low", [["10", "411"]])]
        assert (document["past"], document["compared"], document["left"]) == (3, 3, [])
        # Nothing held by the proposal; in the manifest the line holds for what is captured afterwards.
        job.page(begin(job, SITE)[0], text.format(guests=78, copies=3, url=SITE))
        next_run(job)
        project.manifest([source(SOURCE, SITE, scrape_config={"noise_lines": document["noise_lines"]})])
        found = {row["change"]: row["importance"] for row in _listed(typed)}
    assert found == {"1-5": "low", "1-4": "medium", "1-3": "medium", "1-2": "medium"}


def test_changes_noise_tells_the_effect_beside_text_that_rotates(project: Project, typed: Typed) -> None:
    notices = ("The lobby is closed.", "Storms delay letters.", "Our fair has photos.", "Bring a friend along.")
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        for day in range(7):
            text = f"Guide\n\n{notices[day % 4]}\n\nGuests online: {10 if day < 6 else 411}.\n\n{SITE}"
            job.page(begin(job, SITE)[0], text)
            next_run(job)
        assert _listed(typed)[0]["importance"] == "medium"
        typed("changes", "review", "1-7", "--decision", "not_material")
        document = json.loads(typed("changes", "noise", "1-7", "--format", "json").out)
    assert document["noise_lines"] == ["Guests online: #."], document
    assert [(one["change"], one["importance"]) for one in document["effects"]] == [("1-7", "low")]


def test_changes_assigned_are_mine_until_due_and_undone(history: Project, typed: Typed) -> None:
    number, page = (str(row["change"]) for row in _listed(typed) if row["kind"] in {"number", "new_page"})
    me = getpass.getuser()
    said = typed("changes", "assign", number, page, "--to", me, "--due", "2026-02-14", "--comment", "our letters?")
    assert (said.code, said.out) == (0, f"Assigned to {me}, due 2026-02-14: 2 changes, by {me}.\n"), said.err
    [row] = [one for one in _listed(typed, "--mine", "--overdue") if one["change"] == number]
    assert (row["assignee"], row["due_on"], row["overdue"]) == (me, "2026-02-14", True)
    comments = row["comments"]
    assert isinstance(comments, list)
    assert [(one["by"], one["text"]) for one in comments] == [(me, "our letters?")]
    assert typed("changes", "comment", number, "--text", "done").out == f"Recorded the comment on 1 change, by {me}.\n"
    typed("changes", "review", number, "--decision", "closed")
    assert [one["change"] for one in _listed(typed, "--overdue")] == [page]
    assert [one["change"] for one in _listed(typed, "--review", "closed")] == [number]
    assert typed("changes", "unassign", number, page).out == f"Assigned to nobody: 2 changes, by {me}.\n"
    assert _listed(typed, "--assignee", me) == []
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.connect() as conn:
        done = activity_log.recent_actions(conn, target=number)
    assert [one["action"] for one in done] == ["assign_change", "review_change", "comment_change", "assign_change"]
    assert done[0]["details"]["before"] == {"assignee": me, "due_on": "2026-02-14"}


def test_changes_read_are_not_listed_as_unread_until_marked_again(history: Project, typed: Typed) -> None:
    number, page = (str(row["change"]) for row in _listed(typed) if row["kind"] in {"number", "new_page"})
    every = len(_listed(typed, "--unread"))
    me = getpass.getuser()
    assert typed("changes", "read", number, page).out == f"Marked as read: 2 changes, by {me}.\n"
    typed("changes", "read", number)
    assert len(_listed(typed, "--unread")) == every - 2
    typed("changes", "unread", number)
    assert number in {row["change"] for row in _listed(typed, "--unread")}
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.connect() as conn:
        done = activity_log.recent_actions(conn, target=number)
    assert [(one["action"], one["actor"]) for one in done] == [("unread_change", me), ("read_change", me)]
    typed("changes", "read", number)  # as the tests that follow found it
    typed("changes", "unread", number, page)


def test_changes_of_an_owned_agency_are_mine(history: Project, typed: Typed) -> None:
    history.manifest([source(SOURCE, SITE, metadata={"agency": "CFPB"})])
    me = getpass.getuser()
    assert typed("changes", "own", "cfpb", "--to", me).out == f"CFPB: owned by {me}, by {me}.\n"
    [owned] = json.loads(typed("changes", "owners", "--format", "json").out)
    assert owned == {"agency": "CFPB", "sources": 1, "owner": me}
    assert len(_listed(typed, "--mine")) == len(_listed(typed))
    assert typed("changes", "own", "FBI", "--to", me).code == 2
    assert typed("changes", "own", "CFPB").out == f"CFPB: owned by nobody, by {me}.\n"
    assert _listed(typed, "--mine") == []


def test_changes_that_a_person_watches_are_theirs_until_assigned(history: Project, typed: Typed) -> None:
    assert _listed(typed, "--mine") == []
    watched = typed("changes", "subscribe", "watch", "--kind", "number")
    assert watched.out.endswith("`scrapy changes --mine` lists them until somebody is assigned.\n"), watched.err
    [row] = _listed(typed, "--mine")
    assert (row["kind"], row["assignee"]) == ("number", None)
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.begin() as conn:
        accounts.add_user(conn, "ben", role="viewer", password_hash=None, now=NOON)
    typed("changes", "assign", str(row["change"]), "--to", "ben")
    assert _listed(typed, "--mine") == []


def test_changes_list_goes_on_after_each_position(history: Project, typed: Typed) -> None:
    typed("changes")
    with closing(open_ledger(str(history.ledger))) as ledger, ledger.connect() as conn:
        whole = [change.change_id for change in list_changes(conn, ChangeFilter(importance=0))]
        found: list[str] = []
        after = None
        while some := list(list_changes(conn, ChangeFilter(importance=0, after=after), limit=1)):
            found.append(some[0].change_id)
            after = ChangePosition(some[0].at, some[0].page_id, some[0].seq)
    assert found == whole
    assert len(whole) == 6


def test_changes_of_page_that_moved_tell_where_it_stands(history: Project, typed: Typed) -> None:
    """OTHER leads to a new address with the same text; later the old one is recorded as removed."""
    new_url = f"{SITE}moved/"
    with closing(open_ledger(str(history.ledger))) as ledger:
        job = Job(ledger, DiskStore(history.staging), an_id(1), NOON + timedelta(hours=9))
        job.page(begin(job, new_url)[0], f"Rule\n\nPay within 60 days. {OTHER}")
        with ledger.begin() as conn:
            page = page_history.find_page(conn, SOURCE, new_url)
            assert page is not None
            page_history.add_alias(conn, page.page_id, OTHER, kind="moved", now=job.now)
        next_run(job)
        run_id = begin(job, OTHER)[0].run_id
        with ledger.begin() as conn:
            former = page_history.find_page(conn, SOURCE, OTHER)
            assert former is not None
            gone = a_version("0", run_id=run_id, captured_at=job.now, change_type="deleted")
            page_history.add_version(conn, former.page_id, gone, body_chars=0)
    rows = {
        (row["url"], row["kind"]): row
        for row in _listed(typed, "--since", f"{NOON + timedelta(hours=8):%Y-%m-%dT%H:%M:%SZ}")
    }
    assert set(rows) == {(new_url, "address"), (OTHER, "address")}
    assert f"stood at {OTHER}" in str(rows[new_url, "address"]["notes"])
    assert f"stands at {new_url}" in str(rows[OTHER, "address"]["notes"])
    assert {row["importance"] for row in rows.values()} == {"low"}


def test_changes_subscriptions_are_made_listed_and_ended(history: Project, typed: Typed) -> None:
    made = typed("changes", "subscribe", "feed", "--importance", "high", "--source", SOURCE)
    assert made.code == 0, made.err
    assert made.out.startswith(f"Subscription 1: changes of importance high or above, of {SOURCE}, as a feed.\n")
    assert "Feed: http://127.0.0.1:8650/feeds/" in made.out
    mailed = typed("changes", "subscribe", "a@example.org", "--schedule", "weekly", "--kind", "number")
    assert mailed.out.startswith("Subscription 2: all changes, of kind number, weekly to e-mail to a@example.org by ")
    listed = json.loads(typed("changes", "subscriptions", "--format", "json").out)
    assert [(row["schedule"], row["send_to"], row["waiting"]) for row in listed] == [
        ("feed", None, None),
        ("weekly", "a@example.org", 0),
    ]
    assert typed("changes", "unsubscribe", "1", "2").out == "Ended: subscription 1, subscription 2.\n"
    assert typed("changes", "subscriptions").out.endswith("adds a subscription.\n")
    again = typed("changes", "unsubscribe", "2")
    assert (again.code, "no running subscription 2" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["nobody"], "'nobody' is neither an e-mail address nor the name of a channel"),
        (["feed", "--high-at-once"], "a feed always has every change"),
        (["feed", "--kind", "numbre"], "no kind of change 'numbre'"),
        (["feed", "--source", "nix"], "unknown source 'nix'"),
    ],
)
def test_changes_subscription_that_could_never_be_sent_is_refused(
    history: Project, typed: Typed, options: list[str], says: str
) -> None:
    refused = typed("changes", "subscribe", *options)
    assert refused.code
    assert says in refused.err
    assert not json.loads(typed("changes", "subscriptions", "--format", "json").out)
