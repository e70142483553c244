"""Heads are sent to each kind of destination, and again where one failed."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from standardwebhooks import Webhook

from rori_spiders.evidence.delivery import bucket_copies
from rori_spiders.evidence.delivery.deliver import deliver_heads
from rori_spiders.evidence.delivery.destinations import parse_destinations, show_url, witness_keys
from rori_spiders.evidence.delivery.receipts import prove_growth
from rori_spiders.evidence.heads import sign_head
from rori_spiders.evidence.heads_files import DamagedCopy, HeadCopy, load_heads
from rori_spiders.evidence.signed_notes import NoteError, NoteSignature, parse_note
from rori_spiders.evidence.timestamps import load_roots, read_timestamp
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.audit import head_log
from tests.evidence.delivery.servers import Answering, Authority, Witness
from tests.evidence.ledgers import add_facts, minutes, new_ring
from tests.evidence.whole_tree import load_tree
from tests.hostile.server import Endpoint, HostileServer
from tests.support.cases import cases
from tests.support.databases import open_empty_ledger
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cryptography import x509

    from rori_spiders.evidence.delivery.deliver import Delivery
    from rori_spiders.evidence.keys import KeyRing
    from rori_spiders.ledger.audit.head_log import StoredHead
    from rori_spiders.ledger.database import Ledger
    from tests.staging.s3.fixtures import Area

SECRET = "MDEy" * 8
ENVIRONMENT = {"RORI_WEBHOOK_SECRET": SECRET}


class Sender:
    """Signs heads of a ledger, and sends them to *words*."""

    def __init__(self, ledger: Ledger, words: str, ring: KeyRing | None = None) -> None:
        self.ledger, self.ring, self.minute = ledger, ring or new_ring(), 0
        self.destinations = parse_destinations(words, retention_days=30, environment=ENVIRONMENT)

    def send(self, facts: int = 1) -> list[Delivery]:
        if facts:
            add_facts(self.ledger, facts)
            assert sign_head(self.ledger, self.ring, now=minutes(self.minute))
        self.minute += 1
        return deliver_heads(self.ledger, self.destinations, now=minutes(self.minute))

    def newest(self) -> StoredHead:
        with self.ledger.connect() as conn:
            head = head_log.last_head(conn)
        assert head is not None
        return head


def sizes(place: str) -> list[int]:
    return [copy.head.size for copy in load_heads(place) if isinstance(copy, HeadCopy)]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger; tests/ledger/audit/test_head_log.py has what differs between databases."""
    with open_empty_ledger(tmp_path / "ledger.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    with Authority(tmp_path_factory.mktemp("tsa")) as server:
        yield server


def test_file_has_every_head_in_order_and_those_that_failed_with_the_next(ledger: Ledger, tmp_path: Path) -> None:
    file = tmp_path / "copies" / "heads.txt"
    sender = Sender(ledger, f"file://{file}")
    for _ in range(2):
        (failed,) = sender.send(2)
        assert (failed.sent, failed.error) == (0, "the file cannot be written (No such file or directory)")
    with ledger.connect() as conn:
        state = head_log.destination_states(conn)[f"file://{file}"]
    assert (state.size, state.failed_at) == (0, minutes(1))
    file.parent.mkdir()
    assert [(one.sent, one.error) for one in sender.send()] == [(3, None)]
    assert [(one.sent, one.error) for one in sender.send()] == [(1, None)]
    assert [(one.sent, one.error) for one in sender.send(facts=0)] == [(0, None)]
    assert sizes(str(file)) == sizes(f"file://{file}") == [2, 4, 5, 6]
    assert file.stat().st_mode & 0o077 == 0
    with ledger.connect() as conn:
        state = head_log.destination_states(conn)[f"file://{file}"]
    assert (state.size, state.failed_at, state.error) == (6, None, None)


def test_file_that_ends_in_the_middle_of_a_head_is_continued_on_a_line_of_its_own(
    ledger: Ledger, tmp_path: Path
) -> None:
    file = tmp_path / "heads.txt"
    sender = Sender(ledger, f"file://{file}")
    sender.send()
    file.write_text(file.read_text()[:40])
    sender.send()
    assert f"\n\n{sender.newest().full_note}\n" in file.read_text()
    damaged, whole = load_heads(str(file))
    assert isinstance(damaged, DamagedCopy)
    assert isinstance(whole, HeadCopy)


def test_bucket_holds_each_head_under_a_lock(ledger: Ledger, area: Area) -> None:
    bucket = f"locked-{area.name}"
    area.client.create_bucket(Bucket=bucket, ObjectLockEnabledForBucket=True)
    sender = Sender(ledger, f"s3://{bucket}/ledger")
    assert [(one.sent, one.error) for one in (*sender.send(), *sender.send())] == [(1, None), (1, None)]
    assert sizes(f"s3://{bucket}/ledger") == [1, 2]
    key = area.client.list_objects_v2(Bucket=bucket)["Contents"][0]["Key"]
    found = area.client.head_object(Bucket=bucket, Key=key)
    assert found["ObjectLockMode"] == "COMPLIANCE"
    assert (found["ObjectLockRetainUntilDate"] - minutes(1)).days == 30


class _Everywhere(dict[str, Endpoint]):
    """One endpoint for whatever is asked."""

    def get(self, path: str, default: object = None) -> Any:
        return Endpoint(lambda wire: wire.send(b"HTTP/1.1 200 OK\r\n").drip(itertools.repeat(b"X: y\r\n")))


def test_bucket_that_answers_byte_by_byte_is_given_up(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_copies, "REQUEST_TIMEOUT_S", 0.5)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with HostileServer(next_address(), {}) as server:
        server.endpoints = _Everywhere()
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
        (failed,) = Sender(ledger, "s3://bucket/ledger").send()
    assert failed.error == "the bucket did not respond in full in time"


def test_bucket_without_object_lock_is_a_failure_that_says_so(ledger: Ledger, area: Area) -> None:
    (failed,) = Sender(ledger, f"s3://{area.name}/heads").send()
    assert failed.sent == 0
    assert failed.error is not None
    assert "InvalidRequest" in failed.error


def test_web_hook_is_signed_and_has_the_note(ledger: Ledger) -> None:
    with Answering() as server:
        sender = Sender(ledger, f"{server.url}/hooks/T0Kq9ZxP4w")
        (sent,) = sender.send()
        assert sent.error is None
        assert "T0Kq9ZxP4w" not in sent.destination
        ((path, body, headers),) = server.posts
        assert path == "/hooks/T0Kq9ZxP4w"
        assert headers["webhook-id"].startswith("msg_")
        event: dict[str, Any] = json.loads(body)
        assert (event["type"], event["data"]["size"]) == ("ledger.head", 1)
        assert event["data"]["note"] == sender.newest().full_note
        assert Webhook(SECRET).sign(headers["webhook-id"], minutes(1), body.decode()) == headers["webhook-signature"]
        server.status = 503
        assert sender.send()[0].error == "it answered 503"


def test_web_hook_without_its_secret_is_refused() -> None:
    with pytest.raises(UsageError, match="RORI_WEBHOOK_SECRET"):
        parse_destinations("https://hooks.example/x", retention_days=1, environment={})


def test_timestamp_stands_in_the_ledger_and_beside_the_copy(
    ledger: Ledger, tmp_path: Path, authority: Authority
) -> None:
    sender = Sender(ledger, f"file://{tmp_path}/heads.txt,rfc3161+{authority.url}/tsr")
    assert {one.error for one in sender.send()} == {None}
    (copy,) = load_heads(str(tmp_path / "heads.txt"))
    assert isinstance(copy, HeadCopy)
    note = parse_note(sender.newest().full_note)
    assert copy.note == note
    own, line = note.signatures
    roots = load_roots(authority.roots)
    stamp = read_timestamp(note.text, line, roots)
    assert stamp is not None
    assert (stamp.authority, stamp.is_trusted) == ("127.0.0.1", True)
    assert read_timestamp(note.text, own, roots) is None
    unproved = read_timestamp(note.text, line, [])
    assert unproved is not None
    assert unproved.is_trusted is None
    with pytest.raises(NoteError, match="not of this head"):
        read_timestamp(note.text + "x\n", line, roots)
    with pytest.raises(NoteError, match="not valid"):
        read_timestamp(note.text, line, _other_roots(tmp_path))
    with pytest.raises(NoteError, match="cannot be read"):
        read_timestamp(note.text, NoteSignature(line.name, line.key_id, line.signature[:-9]), roots)


def _other_roots(folder: Path) -> list[x509.Certificate]:
    with Authority(folder) as other:
        return load_roots(other.roots)


def test_timestamp_authority_that_fails_is_asked_for_the_next_head(ledger: Ledger, authority: Authority) -> None:
    sender = Sender(ledger, f"rfc3161+{authority.url}/tsr")
    authority.status = 500
    try:
        assert sender.send()[0].error == "the timestamp authority answered 500"
    finally:
        authority.status = None
    assert sender.send()[0].error is None
    with ledger.connect() as conn:
        assert [bool(head.receipts) for head in head_log.list_heads(conn)] == [False, True]


def test_witness_cosigns_heads_that_continue_each_other(ledger: Ledger) -> None:
    ring = new_ring()
    with Witness(*ring.verifiers) as witness:
        sender = Sender(ledger, witness.word, ring)
        for facts in (1, 2, 5, 3, 8, 1):
            assert [one.error for one in sender.send(facts)] == [None]
            assert parse_note(sender.newest().full_note).is_signed_by(witness.key)
        assert witness.size == 20
        assert {path for path, _, _ in witness.posts} == {"/add-checkpoint"}
        witness.size = 8  # as one that was restored from a backup
        assert [one.error for one in sender.send()] == ["the witness answered 422: 'inconsistent'"]
        with ledger.connect() as conn:
            witness.root = load_tree(conn).root(8)
        assert [one.error for one in sender.send()] == [None]


def test_witness_that_refuses_or_signs_with_another_key_is_a_failure(ledger: Ledger) -> None:
    ring = new_ring()
    with Witness(*ring.verifiers) as witness, Witness() as other:
        word = witness.word.replace(str(witness.key), str(other.key))
        (failed,) = Sender(ledger, word, ring).send()
        assert failed.error == "none of the witness's cosignatures is of witness.example"
        (failed,) = Sender(ledger, other.word, ring).send()
        assert failed.error == "the witness answered 403: 'unknown key'"
    assert witness_keys(f"file:///x,{word}") == (other.key,)


def test_growth_proof_from_the_frontier_is_that_of_the_whole_tree(ledger: Ledger) -> None:
    sender = Sender(ledger, "")
    for _ in range(14):
        sender.send()
    with ledger.connect() as conn:
        tree = load_tree(conn)
        for old in range(15):
            assert prove_growth(conn, old, 14) == tree.consistency_path(old, 14), old


@cases(
    "word",
    [
        "heads.txt",
        "file://host/heads.txt",
        "ftp://host/heads",
        "s3://",
        "https://",
        "rfc3161+ftp://host",
        "witness+https://host",
        "witness+https://host/#PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    ],
)
def test_destination_that_is_none_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="RORI_EVIDENCE_HEADS"):
        parse_destinations(word, retention_days=1, environment=ENVIRONMENT)


def test_shown_destination_has_no_secret() -> None:
    first, second = show_url("https://u:p@hooks.example/T0Kq9?x=1"), show_url("https://hooks.example/Zxcv")
    assert "T0Kq9" not in first
    assert "u:p" not in first
    assert first != second
    assert show_url("rfc3161+https://u:p@tsa.example/tsr?token=1") == "rfc3161+https://tsa.example/tsr"
