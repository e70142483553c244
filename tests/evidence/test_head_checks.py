"""Heads against the log: keys that count, order, copies, timestamps. Forgeries of the ledger:
tests/staging/verification/test_forgeries.py.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.evidence import heads_files
from rori_spiders.evidence.checkpoints import Checkpoint, parse_checkpoint
from rori_spiders.evidence.delivery.deliver import deliver_heads
from rori_spiders.evidence.delivery.destinations import parse_destinations
from rori_spiders.evidence.head_checks import check_heads
from rori_spiders.evidence.heads import sign_head
from rori_spiders.evidence.heads_files import load_heads, parse_heads
from rori_spiders.evidence.keys import KeyRing
from rori_spiders.evidence.signed_notes import SigningKey, parse_note, sign_note
from rori_spiders.evidence.timestamps import load_roots
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.audit import head_log
from tests.evidence.delivery.servers import Answering, Authority, Witness
from tests.evidence.ledgers import add_facts, minutes, new_ring
from tests.hostile.certificates import server_context
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_empty_ledger(tmp_path / "ledger.db") as opened:
        yield opened


def sign(ledger: Ledger, ring: KeyRing, minute: int) -> str:
    add_facts(ledger, 2)
    head = sign_head(ledger, ring, now=minutes(minute))
    assert head is not None
    return head.note


def kinds(ledger: Ledger, copies: str, ring: KeyRing) -> list[str]:
    return sorted({one.kind for one in check_heads(ledger, parse_heads(copies, "copy"), ring, Counter())})


def sentences(ledger: Ledger, copies: str, ring: KeyRing) -> str:
    return "\n".join(map(str, check_heads(ledger, parse_heads(copies, "copy"), ring, Counter())))


def public(ring: KeyRing) -> KeyRing:
    return KeyRing(trusted=ring.verifiers)


def test_heads_of_a_ledger_agree_with_copies_in_any_order(ledger: Ledger) -> None:
    ring = new_ring()
    notes = [sign(ledger, ring, minute) for minute in range(4)]
    counts: Counter[str] = Counter()
    assert not [*check_heads(ledger, parse_heads("\n".join(reversed(notes)), "copy"), public(ring), counts)]
    assert counts == {"heads": 8}
    assert kinds(ledger, notes[2], public(ring)) == []


def test_key_that_an_old_head_announces_is_trusted(ledger: Ledger) -> None:
    old = new_ring()
    both = old.with_key(SigningKey.generate("ledger.example"))
    new = KeyRing(both.signing[1:])
    for minute, ring in enumerate((old, both, new)):
        sign(ledger, ring, minute)
    assert kinds(ledger, "", public(old)) == []
    assert kinds(ledger, "", public(new)) == ["head_key_unknown"]
    assert old.verifiers[0].key_id.hex() in sentences(ledger, "", public(new))


def test_key_without_an_announcement_is_unknown_and_named(ledger: Ledger) -> None:
    old, new = new_ring(), new_ring()
    sign(ledger, old, 0)
    sign(ledger, new, 1)
    assert f"ledger.example+{new.verifiers[0].key_id.hex()}" in sentences(ledger, "", public(old))
    assert kinds(ledger, "", KeyRing(trusted=(*old.verifiers, *new.verifiers))) == []


def test_retired_key_counts_before_its_time_alone(ledger: Ledger) -> None:
    ring = new_ring("ledger.example", "ledger.example")
    only_old = KeyRing(ring.signing[:1])
    for minute in (0, 10):
        sign(ledger, only_old, minute)
    sign(ledger, ring, 20)
    key_id = ring.verifiers[0].key_id.hex()
    late, _ = ring.without_key(key_id, since=minutes(15), reason="It leaked")
    early, _ = ring.without_key(key_id, since=minutes(5), reason="It leaked")
    assert kinds(ledger, "", late) == []
    assert kinds(ledger, "", early) == ["head_key_retired"]
    assert f"{key_id}, which was retired at 2026-11-26 08:05 UTC" in sentences(ledger, "", early)


def test_signature_that_is_not_valid_is_found(ledger: Ledger) -> None:
    ring = new_ring()
    note = sign(ledger, ring, 0)
    assert kinds(ledger, note.replace("08:00:00", "07:00:00"), ring) == ["head_signature", "head_unrecorded"]


def test_head_of_another_root_signed_by_the_right_key_is_found(ledger: Ledger) -> None:
    ring = new_ring()
    head = parse_checkpoint(parse_note(sign(ledger, ring, 0)).text)
    forged = str(sign_note(replace(head, root=b"x" * 32).render(), *ring.signing))
    assert kinds(ledger, forged, ring) == ["head_differs", "head_unrecorded"]


def test_heads_dated_backwards_and_of_another_ledger_are_found(ledger: Ledger) -> None:
    ring = new_ring()
    sign(ledger, ring, 0)
    with ledger.connect() as conn:
        last = head_log.last_head(conn)
    assert last is not None
    add_facts(ledger)
    sign_head(ledger, ring, now=minutes(1))
    with ledger.connect() as conn:
        head = parse_checkpoint(parse_note(head_log.list_heads(conn)[1].note).text)
    backwards = str(sign_note(replace(head, at=minutes(-9)).render(), *ring.signing))
    assert kinds(ledger, f"{last.note}\n{backwards}", ring) == ["head_order", "head_unrecorded"]
    other = str(sign_note(Checkpoint("other.example", head.size, head.root).render(), *ring.signing))
    assert kinds(ledger, other, ring) == ["head_origin", "head_unrecorded"]


def test_head_whose_predecessor_is_nowhere_is_found(ledger: Ledger) -> None:
    ring = new_ring()
    note = sign(ledger, ring, 0)
    head = replace(parse_checkpoint(parse_note(note).text), previous=b"p" * 32)
    forged = str(sign_note(head.render(), *ring.signing))
    assert kinds(ledger, forged, ring) == ["head_missing", "head_unrecorded"]


def test_timestamps_and_cosignatures_are_verified(ledger: Ledger, tmp_path: Path) -> None:
    ring = new_ring()
    (tmp_path / "other").mkdir()
    with Authority(tmp_path) as authority, Witness(*ring.verifiers) as witness, Authority(tmp_path / "other") as other:
        words = f"rfc3161+{authority.url}/,{witness.word}"
        now = datetime.now(UTC)
        add_facts(ledger, 2)
        assert sign_head(ledger, ring, now=now) is not None
        sent = deliver_heads(ledger, parse_destinations(words, retention_days=1), now=minutes(1))
        assert [one.error for one in sent] == [None, None]
        roots = {name: load_roots(one.roots) for name, one in (("own", authority), ("other", other))}

    def check(name: str) -> tuple[list[str], Counter[str]]:
        counts: Counter[str] = Counter()
        found = check_heads(ledger, [], ring, counts, witnesses=[witness.key], roots=roots.get(name, []))
        return [one.kind for one in found], counts

    assert check("own") == ([], {"heads": 1, "timestamps": 1})
    assert check("none") == ([], {"heads": 1, "timestamps_without_roots": 1})
    assert check("other")[0] == ["head_timestamp"]


@pytest.mark.parametrize(("days", "sentence"), [(1, "is older than the head"), (-39.5, "39 days after the head")])
def test_timestamp_far_from_time_of_its_head_is_found(
    ledger: Ledger, tmp_path: Path, days: float, sentence: str
) -> None:
    ring = new_ring()
    add_facts(ledger, 2)
    assert sign_head(ledger, ring, now=datetime.now(UTC) + timedelta(days=days)) is not None
    with Authority(tmp_path) as authority:
        words = f"rfc3161+{authority.url}/"
        (sent,) = deliver_heads(ledger, parse_destinations(words, retention_days=1), now=minutes(1))
        assert sent.error is None
        found = [*check_heads(ledger, [], ring, Counter(), roots=load_roots(authority.roots))]
    assert [one.kind for one in found] == ["head_timestamp"]
    assert sentence in str(found[0])


class Notes(Answering):
    """Serves one text to whoever asks for `/heads.txt`."""

    text = ""

    def read(self, path: str) -> tuple[int, bytes]:
        return (200, self.text.encode()) if path == "/heads.txt" else (404, b"no\n")


def test_load_heads_of_a_server_are_checked_like_a_file(ledger: Ledger, tmp_path: Path) -> None:
    ring = new_ring()
    with Notes() as server:
        server.text = sign(ledger, ring, 0)
        copies = load_heads(f"{server.url}/heads.txt")
        assert [*check_heads(ledger, copies, ring, Counter())] == []
        with pytest.raises(UsageError, match="the server answered 404"):
            load_heads(f"{server.url}/others.txt")
        with pytest.raises(UsageError, match="SSLError"):  # it speaks no TLS
            load_heads(f"{server.url.replace('http:', 'https:')}/heads.txt")
    with pytest.raises(UsageError, match="cannot be read"):
        load_heads(f"{server.url}/heads.txt")


def test_load_heads_over_tls_is_read_from_trusted_server_alone(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = new_ring()
    context, certificate = server_context(tmp_path, "127.0.0.1")
    with Notes(context) as server:
        server.text = sign(ledger, ring, 0)
        with pytest.raises(UsageError, match="SSLError"):
            load_heads(f"{server.url}/heads.txt")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        copies = load_heads(f"{server.url}/heads.txt")
    assert server.url.startswith("https://")
    assert [*check_heads(ledger, copies, public(ring), Counter())] == []
    assert [copy.where for copy in copies] == [f"{server.url}/heads.txt"]


def test_load_heads_that_are_cut_are_refused(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    with Notes() as server:
        server.text = "".join(sign(ledger, new_ring(), minute) for minute in range(2))
        size = len(server.text.encode())
        monkeypatch.setattr(heads_files, "_MAX_BYTES", size)
        assert len(load_heads(f"{server.url}/heads.txt")) == 2
        monkeypatch.setattr(heads_files, "_MAX_BYTES", size - 1)
        with pytest.raises(UsageError, match="are larger than 0 MiB, and a part of them proves nothing"):
            load_heads(f"{server.url}/heads.txt")
        monkeypatch.undo()
        server.promised = 9
        with pytest.raises(UsageError, match="ProtocolError"):
            load_heads(f"{server.url}/heads.txt")


@pytest.mark.parametrize("text", ["nothing", "a\n1\nx\n", "head\n\n\N{EM DASH} a AAAAAAAA\n"])
def test_copies_with_damage_between_them_are_checked_and_it_is_found(ledger: Ledger, text: str) -> None:
    ring = new_ring()
    notes = [sign(ledger, ring, minute) for minute in range(2)]
    copies = f"{notes[0]}\n\n{text}\n{notes[1]}"
    (damaged,) = check_heads(ledger, parse_heads(copies, "copy"), ring, Counter())
    line = notes[0].count("\n") + 3
    assert (damaged.kind, damaged.where) == ("head_damaged", f"copy, line {line}")


def test_load_heads_of_a_file_without_any_is_refused(tmp_path: Path) -> None:
    (tmp_path / "heads.txt").write_text("nothing\n")
    with pytest.raises(UsageError, match="has no heads"):
        load_heads(str(tmp_path / "heads.txt"))
    with pytest.raises(UsageError, match="cannot be read"):
        load_heads(f"file://{tmp_path}/none")
