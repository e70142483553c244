"""A bucket whose server fails: what was told to be there is there, what was not is an error, and nothing is doubled."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import LeaseLost, StagingError
from rori_spiders.staging.envelope_writer import check_reserved
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.s3 import bucket
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import SITE, an_id
from tests.staging.disk.test_store import PATH
from tests.staging.job_driver import Job, begin, of_a_run, reserved, write_envelope
from tests.staging.s3.proxy import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.ledger.database import Ledger
    from tests.staging.s3.fixtures import Area

pytestmark = pytest.mark.usefixtures("hurried")
LARGE = b"0123456789abcdef" * (bucket.THRESHOLD_BYTES // 16) + b"end"


@pytest.mark.parametrize("how", ["503", "500", "refuse", "cut", "hang"])
def test_s3_store_one_failure_is_retried(area: Area, how: str) -> None:
    store = area.store()
    store.check_writable()
    for part in ("x.gov", "_objects", "_index", "_errors"):
        area.proxy.faults += [Fault(how, "PUT", part), Fault(how, "GET", part)]
    store.write_envelope(PATH, b"{}")
    digest = store.put_object(b"object")
    store.index.append(of_a_run("1", "2"))
    store.errors.append(of_a_run("e"))
    store.index.append(of_a_run("3"))
    assert store.read(PATH) == b"{}"
    assert store.get_object(digest) == b"object"
    assert list(store.index.lines()) == ["1", "2", "3"]
    assert list(store.errors.lines()) == ["e"]
    assert area.proxy.faults == []


@pytest.mark.parametrize("how", ["503", "500", "refuse", "hang"])
def test_s3_store_lasting_failure_is_reported(area: Area, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "hang":  # five calls, and each is tried three times
        monkeypatch.setattr("rori_spiders.staging.s3.client.READ_S", 0.4)
    store = area.store()
    store.check_writable()
    area.proxy.always = [Fault(how)]
    calls: list[Callable[[], object]] = [
        lambda: store.write_envelope(PATH, b"{}"),
        lambda: store.index.append(of_a_run("1")),
        lambda: store.read(PATH),
        lambda: list(store.paths()),
        store.check_writable,
    ]
    for call in calls:
        with pytest.raises(StagingError, match=r"^The staging area s3://bucket-\w+/staged \(at http://127") as raised:
            call()
        assert str(raised.value).endswith(".")
        assert "test-secret" not in str(raised.value)
    area.proxy.always = []
    assert list(store.paths()) == []
    assert list(store.index.lines()) == []


def test_s3_store_answer_that_drips_is_given_up(area: Area, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rori_spiders.staging.s3.client.READ_S", 0.2)
    monkeypatch.setattr("rori_spiders.staging.s3.client._RETRY_WAIT_S", 0)
    store = area.store()
    area.proxy.always = [Fault("drip")]
    for call in (lambda: store.read(PATH), lambda: store.write_envelope(PATH, b"{}"), lambda: list(store.paths())):
        with pytest.raises(StagingError, match=r"the server did not respond in full in time\. Check the server"):
            call()


def test_s3_store_large_file_is_complete_or_absent(area: Area) -> None:
    store = area.store()
    store.check_writable()
    area.proxy.faults = [Fault("503", "PUT", "partNumber=2"), Fault("cut", "PUT", "partNumber=3")]
    store.write_envelope(PATH, LARGE)
    assert store.read(PATH) == LARGE
    store.write_envelope(PATH, LARGE)
    with pytest.raises(FileExistsError):
        store.write_envelope(PATH, LARGE + b"!")
    assert store.read(PATH) == LARGE
    assert "Uploads" not in area.client.list_multipart_uploads(Bucket=area.name), "a refused one is aborted"


def test_s3_store_large_file_with_lost_last_response_was_written(area: Area) -> None:
    store = area.store()
    store.check_writable()
    area.proxy.faults = [Fault("cut", "POST", "uploadId=")]
    store.write_envelope(PATH, LARGE)
    assert store.read(PATH) == LARGE


def test_s3_store_uploads_of_dead_processes_only_are_removed(area: Area, monkeypatch: pytest.MonkeyPatch) -> None:
    store = area.store()
    store.check_writable()
    area.proxy.always = [Fault("refuse", "PUT", "partNumber=2")]
    with pytest.raises(StagingError):
        store.write_envelope(PATH, LARGE)
    area.proxy.always = []
    area.put("_tmp/check-0", b"left by a process that died")
    monkeypatch.setattr(bucket, "STALE_AGE", timedelta(days=36_500))  # moto says of each that it began in 2010
    other = area.client.create_multipart_upload(Bucket=area.name, Key="elsewhere/file")
    assert store.mend().temporary == 0, "whoever writes them may be alive"
    assert list(store.strays()) == []
    monkeypatch.setattr(bucket, "STALE_AGE", timedelta(seconds=-5))
    assert sorted(store.strays()) == ["_tmp/check-0", f"_tmp/{PATH}"]
    assert store.mend().temporary == 2
    assert list(store.paths()) == []
    assert area.keys() == []
    left = area.client.list_multipart_uploads(Bucket=area.name)["Uploads"]
    assert [one["UploadId"] for one in left] == [other["UploadId"]]


def test_s3_store_upload_removed_as_dead_fails(area: Area) -> None:
    store = area.store()
    store.check_writable()

    area.proxy.faults = [Fault("404", "POST", "uploadId="), Fault("404", "POST", "uploadId=")]
    with pytest.raises(StagingError, match="was not stored"):
        store.write_envelope(PATH, LARGE)
    with pytest.raises(StagingError, match="was not stored"):
        store.put_object(random.Random(7).randbytes(bucket.THRESHOLD_BYTES))


def test_s3_store_job_declared_dead_during_hang_records_nothing(
    area: Area, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease ran out in a call: the next job has taken the page back, and the first must not record it."""
    monkeypatch.setattr("rori_spiders.staging.s3.client.READ_S", 30.0)
    job = Job(ledger, area.store(), an_id(1))
    [visit] = begin(job, SITE)
    reservation = reserved(job, visit, "text")

    def another_job(method: str, path: str) -> None:
        if method == "PUT" and path.endswith(".json"):
            area.proxy.on_request = lambda method, path: None
            done.append(recover_staging(ledger, area.store(), job.now).dropped)

    done: list[tuple[str, ...]] = []
    area.proxy.on_request = another_job
    write_envelope(job.store, reservation, raw=b"text")
    assert done == [(reservation.path,)]
    with pytest.raises(LeaseLost), ledger.begin() as conn:
        check_reserved(conn, job.store, [reservation])
    assert list(area.store().paths()) == []
    assert verify_staging(ledger, area.store()).clean
