"""The error log: one line a failure, and one for what overcame it, whatever is killed, and verify holds it to that."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.audit import audit_log, failure_states
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.runs import frontier
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.staging.ledger_logs import log_errors
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, SITE, an_id
from tests.staging import child_processes
from tests.staging.job_driver import SOURCE, Job, begin, next_run, reserve_envelope, reserved, write_envelope
from tests.staging.kill_points import KILLED, die_at

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.items import FrontierUrl
    from rori_spiders.staging.verification.verify import VerificationReport

LATER = NOON + timedelta(days=1)
_FAILED = Reason(ReasonCode.HTTP_ERROR, http_status=503)


def _end(job: Job, visit: FrontierUrl, state: str = "failed", **more: Any) -> list[int]:
    """Transaction B of a page that ends without an envelope."""
    reason = _FAILED if state == "failed" else CAPTURED
    attempt = {"tier": "http", "at": "", "status": 503, "verdict": None, "reason": reason, "ms": 1, "credits": 0}
    ended: dict[str, Any] = {"tier": "http", "verdict": None, "attempts": 2, "now": job.now}
    row: dict[str, Any] = {"engine": "http", "build": "tests", "attempts": [attempt, attempt], "timestamp": job.now}
    row |= {"run_id": visit.run_id, "manifest_id": SOURCE, "url": visit.url, "error": reason or None} | more
    with job.ledger.begin() as conn:
        frontier.settle_url(conn, visit.run_id, visit.url, state=state, reason=reason, **ended)
        before = audit_log.find_last_states(conn, visit.run_id, [visit.url])
        audit_log.append_row(conn, audit_log.AuditRow(state=state, **row))
        return failure_states.note_unlogged(conn, visit.run_id, {visit.url: state}, before)


def _log(job: Job) -> list[tuple[str, str, bool]]:
    """Its lines: path, error, whether it is resolved."""
    lines = [json.loads(line) for line in job.store.errors.lines()]
    return [(line["url"].removeprefix(SITE), line["error"], line["resolved"]) for line in lines]


def _verify(job: Job, *, repair: bool = False, now: datetime = LATER) -> VerificationReport:
    return verify_staging(job.ledger, job.store, repair=repair, now=now)


def _kinds(job: Job) -> list[str]:
    return sorted({finding.kind for finding in _verify(job).findings})


def test_error_log_line_matches_audit_row(job: Job) -> None:
    (visit,) = begin(job, SITE)
    log_errors(job.ledger, job.store, _end(job, visit))
    [line] = job.store.errors.lines()
    assert json.loads(line) == {
        "timestamp": "2026-02-13T12:00:30Z",
        "manifest_id": SOURCE,
        "url": SITE,
        "error": str(_FAILED),
        "retry_count": 1,
        "engine": "http",
        "resolved": False,
    }
    assert _verify(job).findings == ()


def test_error_log_line_without_request_names_no_engine(job: Job) -> None:
    (visit,) = begin(job, SITE)
    log_errors(job.ledger, job.store, _end(job, visit, attempts=None))
    [line] = job.store.errors.lines()
    assert (json.loads(line)["engine"], json.loads(line)["retry_count"]) == (None, 0)


@pytest.mark.parametrize("good", ["captured", "unchanged", "gone"])
def test_error_log_resolution_has_one_line(job: Job, good: str) -> None:
    for state in ("failed", good, good):
        (visit,) = begin(job, SITE)
        log_errors(job.ledger, job.store, _end(job, visit, state))
        next_run(job)
    assert _log(job) == [("", str(_FAILED), False), ("", "overcome", True)]
    assert _verify(job).findings == ()


def test_error_log_pending_lines_of_dead_job_are_appended_once(job: Job) -> None:
    for state in ("failed", "unchanged"):
        (visit,) = begin(job, SITE)
        _end(job, visit, state)
        next_run(job)
    assert _kinds(job) == ["error_line_missing"]
    found = recover_staging(job.ledger, job.store, LATER)
    assert (found.errors, str(found)) == (2, "2 line(s) of the error log added")
    assert not recover_staging(job.ledger, job.store, LATER)
    assert _log(job) == [("", str(_FAILED), False), ("", "overcome", True)]
    assert _verify(job).findings == ()


def test_error_log_pending_lines_of_live_job_are_left_to_it(job: Job) -> None:
    (visit,) = begin(job, SITE)
    _end(job, visit)
    with job.ledger.begin() as conn:
        leases.acquire_lease(conn, "consumerfinance.gov", owner=f"host:1:{job.job_id}", now=NOON, ttl_s=60)
    soon = NOON + timedelta(seconds=59)
    assert not recover_staging(job.ledger, job.store, soon)
    assert _verify(job, now=soon).findings == ()
    assert _kinds(job) == ["error_line_missing"]


def test_error_log_suspended_job_does_not_repeat_lines(job: Job) -> None:
    (visit,) = begin(job, SITE)
    due = _end(job, visit)
    recover_staging(job.ledger, job.store, LATER)
    log_errors(job.ledger, job.store, due)
    assert len(_log(job)) == 1


def test_error_log_torn_line_is_completed(job: Job) -> None:
    (visit,) = begin(job, SITE)
    _end(job, visit)
    log = Path(job.store.location, "_errors.jsonl")
    log.parent.mkdir()
    log.write_text('{"timestamp":"2026-02-13T12:0')
    assert _kinds(job) == ["error_line_missing", "torn_line"]
    assert _verify(job, repair=True).clean
    assert _log(job) == [("", str(_FAILED), False)]


def test_error_log_adopted_page_resolves_its_failure(job: Job) -> None:
    (visit,) = begin(job, SITE)
    log_errors(job.ledger, job.store, _end(job, visit))
    next_run(job)
    (visit,) = begin(job, SITE)
    reservation = reserved(job, visit, "text")
    write_envelope(job.store, reservation, raw=b"text")
    found = recover_staging(job.ledger, job.store, LATER)
    assert (found.adopted, found.errors) == ((reservation.path,), 1)
    assert _log(job) == [("", str(_FAILED), False), ("", "overcome", True)]
    assert _verify(job).findings == ()


def _spoil(job: Job) -> Path:
    for visit in begin(job, SITE, SITE + "5/"):
        log_errors(job.ledger, job.store, _end(job, visit))
    return Path(job.store.location, "_errors.jsonl")


def test_error_log_removed_file_is_written_again(job: Job) -> None:
    log = _spoil(job)
    before = log.read_bytes()
    log.unlink()
    assert [finding.where for finding in _verify(job).findings] == [SITE, SITE + "5/"]
    report = _verify(job, repair=True)
    assert (report.findings, len(report.mended)) == ((), 2)
    assert log.read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ('"resolved":false', '"resolved":true', ["error_line_missing", "error_line_without_row"]),
        ("12:00:30", "12:00:31", ["error_line_missing", "error_line_without_row"]),
        ('"resolved":false', '"resolved":0', ["error_line", "error_line_missing"]),
        ('{"timestamp"', '["timestamp"', ["error_line", "error_line_missing"]),
    ],
)
def test_error_log_edited_file_is_reported(job: Job, old: str, new: str, kinds: list[str]) -> None:
    log = _spoil(job)
    log.write_text(log.read_text().replace(old, new, 1))
    assert _kinds(job) == kinds


@pytest.mark.parametrize("torn", [False, True], ids=["between", "within"])
def test_error_log_killed_at_every_step_then_resumed_is_complete(tmp_path: Path, torn: bool) -> None:
    """A page fails, and is captured by the next run, in processes that die."""
    empty = tmp_path / "empty.db"
    open_ledger(str(empty)).close()
    for step in range(1, 100):
        folder = tmp_path / str(step)
        folder.mkdir()
        shutil.copy(empty, folder / "ledger.db")

        def job(number: int = 1, folder: Path = folder) -> Job:
            now = NOON + timedelta(hours=number)
            return Job(open_ledger(str(folder / "ledger.db")), DiskStore(folder / "staged"), an_id(number), now)

        def dying(step: int = step) -> None:
            one = job()
            die_at(step, torn=torn)
            _fails_and_overcomes(one)

        code = child_processes.run(dying)
        assert code in {0, KILLED}
        last = job(9)
        recover_staging(last.ledger, last.store, last.now)
        assert _verify(last, now=last.now).findings == (), step
        ended = _ended(last)
        assert [resolved for _, _, resolved in _log(last)] == [state != "failed" for state in ended], step
        last.ledger.close()
        shutil.rmtree(folder)
        if code == 0:
            break
    assert (code, ended) == (0, ["failed", "captured"])
    assert step > (2 if torn else 10)


def _fails_and_overcomes(job: Job) -> None:
    (visit,) = begin(job, SITE)
    log_errors(job.ledger, job.store, _end(job, visit))
    next_run(job)
    (visit,) = begin(job, SITE)
    with job.ledger.begin() as conn:
        reservation = reserve_envelope(conn, job.envelope(visit, b"text"), links=[], now=job.now)
    write_envelope(job.store, reservation, raw=b"text")
    recover_staging(job.ledger, job.store, LATER)  # adopts it: transaction B, and both lines


def _ended(job: Job) -> list[str]:
    with job.ledger.connect() as conn:
        return [row["state"] for row in audit_log.query_rows(conn, source_id=SOURCE)]
