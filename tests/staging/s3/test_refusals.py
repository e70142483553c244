"""What an operator reads when a bucket cannot be used: what is wrong, where, what to do; before the first request."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.layout import object_path
from rori_spiders.staging.s3 import client as s3_client
from rori_spiders.staging.store_factory import open_store
from tests.envelope.factories import SITE, an_id
from tests.staging.disk.test_store import PATH
from tests.staging.job_driver import Job, begin
from tests.staging.s3.proxy import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from tests.staging.s3.fixtures import Area

pytestmark = pytest.mark.usefixtures("hurried")


def refusal(uri: str) -> str:
    with pytest.raises(StagingError) as raised:
        open_store(uri).check_writable()
    return str(raised.value)


def test_s3_missing_bucket_is_reported(area: Area) -> None:
    message = refusal("s3://no-such-bucket/staged")
    assert message.startswith(
        f"The staging area s3://no-such-bucket/staged (at {area.env['AWS_ENDPOINT_URL']}) failed: "
    )
    assert "the bucket does not exist (PutObject: NoSuchBucket). Create it, or correct RORI_STAGING" in message


def test_s3_missing_credentials_are_reported(area: Area, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert "no credentials found. Check the AWS credentials" in refusal(area.uri)
    monkeypatch.setenv("AWS_PROFILE", "not-there")
    assert "the AWS configuration is wrong" in refusal(area.uri)


def test_s3_wrong_endpoint_is_reported(area: Area, monkeypatch: pytest.MonkeyPatch) -> None:
    area.proxy.close()
    assert "the server is unreachable. Check the network and AWS_ENDPOINT_URL." in refusal(area.uri)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "not a url")
    assert "Correct AWS_ENDPOINT_URL" in refusal(area.uri)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("AccessDenied", "access denied (PutObject: AccessDenied). Grant the user the permissions"),
        ("SignatureDoesNotMatch", "the secret key does not match the access key"),
        ("InvalidAccessKeyId", "unknown access key"),
        ("ExpiredToken", "the credentials have expired (PutObject: ExpiredToken). Renew them."),
        (
            "RequestTimeTooSkewed",
            "clock and the server's differ too much (PutObject: RequestTimeTooSkewed). Set the clock",
        ),
        ("AuthorizationHeaderMalformed", "the bucket is in another region"),
        ("SlowDown", "the server is throttling requests"),
        ("SomethingNew", "the server refused the request (PutObject: SomethingNew). Check the server"),
    ],
)
def test_s3_error_code_gives_sentence_and_remedy(area: Area, code: str, expected: str) -> None:
    area.proxy.always = [Fault(code, "PUT"), Fault(code, "DELETE")]
    assert expected in refusal(area.uri)


def test_s3_slow_server_is_reported(area: Area) -> None:
    area.proxy.always = [Fault("hang")]
    assert "the server did not respond within" in refusal(area.uri)


def test_s3_server_with_incomplete_listings_is_refused(area: Area) -> None:
    area.proxy.always = [Fault("empty listing", "GET")]
    assert "omits them from listings" in refusal(area.uri)


def test_s3_versioned_bucket_is_accepted(area: Area) -> None:
    area.client.put_bucket_versioning(Bucket=area.name, VersioningConfiguration={"Status": "Enabled"})
    store = area.store()
    store.check_writable()
    store.write_envelope(PATH, b"{}")
    store.remove(PATH)
    assert list(store.paths()) == []
    store.write_envelope(PATH, b"[]")
    assert store.read(PATH) == b"[]"


def test_s3_profile_and_paths_come_from_configuration_file(
    area: Area, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in area.env:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    config = "[profile rori]", f"endpoint_url = {area.env['AWS_ENDPOINT_URL']}", "s3 =", "  addressing_style = path"
    (tmp_path / "config").write_text("\n".join(config))
    (tmp_path / "credentials").write_text("[rori]\naws_access_key_id = a\naws_secret_access_key = b\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_PROFILE", "rori")
    store = area.store()
    store.check_writable()
    client = store._bucket.client
    assert client.meta.config.s3["addressing_style"] == "path"
    assert client.meta.config.s3["payload_signing_enabled"]


def test_s3_requests_have_checksums_and_signature(area: Area) -> None:
    """moto compares none of them; Amazon's S3 and Swift do."""
    store = area.store()
    store.check_writable()
    store.write_envelope(PATH, b"{}")
    sent = area.proxy.headers
    assert sent["x-amz-checksum-sha256"] == "RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o="
    assert sent["Content-MD5"] == "mZFLkyvTelC5g8XnyQrpOw=="
    assert sent["x-amz-content-sha256"] == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert sent["If-None-Match"] == "*"


def test_s3_log_contains_no_secrets(area: Area, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        store = area.store()
        store.check_writable()
        store.write_envelope(PATH, b"{}")
    assert "Authorization" not in caplog.text
    assert "test-secret" not in caplog.text
    assert not [record for record in caplog.records if record.name.startswith(("boto", "s3transfer"))]


def test_s3_page_needs_three_requests(area: Area) -> None:
    """What docs/how-to/staging-s3.md counts: nothing is asked for that need not be."""
    store = area.store()
    store.check_writable()
    area.proxy.requests.clear()
    store.put_object(b"raw")
    store.put_object(b"body")
    store.write_envelope(PATH, b"{}")
    store.put_object(b"raw")
    assert [method for method, _ in area.proxy.requests] == ["PUT", "PUT", "PUT"]


def test_s3_crawled_page_needs_expected_requests(area: Area, ledger: Ledger, tmp_path: Path) -> None:
    """The whole writing order: the store is only written to, and never while a transaction holds the ledger's lock."""
    free = []

    def try_to_write(method: str, path: str) -> None:
        with closing(sqlite3.connect(tmp_path / "ledger.db", timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            free.append(path)

    store = area.store()
    store.check_writable()
    job = Job(ledger, store, an_id(1))
    first, second = begin(job, SITE, SITE + "5/")
    job.page(first)
    area.proxy.requests.clear()
    area.proxy.on_request = try_to_write
    job.page(second)
    kinds = [(method, path.split("/staged/")[1].split("/")[0]) for method, path in area.proxy.requests]
    assert kinds == [
        ("PUT", "_objects"),
        ("PUT", "_objects"),
        ("PUT", "consumerfinance.gov"),
        ("PUT", "_index"),
    ]
    assert len(free) == len(kinds)


def test_s3_longest_keys_are_within_limit() -> None:
    domain, run = ".".join(["d" * 63] * 4)[:253], "0" * 36
    longest = [f"{domain}/2026-02-13/{'n' * 200}", object_path("a" * 64), f"_index/2026-02-13/{run}/00000001.jsonl"]
    assert max(map(len, longest)) + s3_client.MAX_PREFIX_BYTES <= 1024
    assert open_store("s3://bucket/" + "p" * s3_client.MAX_PREFIX_BYTES)


def test_s3_foreign_objects_are_reported(area: Area) -> None:
    store = area.store()
    store.write_envelope(PATH, b"{}")
    for key in ("notes.txt", "x.gov/readme", "x.gov/2026-02-13/draft.json~", "x.gov/2026-02-13/deep/a.json"):
        area.put(key, b"?")
    area.put("", b"")  # a console's way to show the prefix as a folder
    assert list(store.paths()) == [PATH]
    assert sorted(store.strays()) == [
        "notes.txt", "x.gov/2026-02-13/deep/a.json", "x.gov/2026-02-13/draft.json~", "x.gov/readme"
    ]  # fmt: skip
