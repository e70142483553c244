"""Key files: who may read them, what stands in them, rotation and retirement."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from rori_spiders.evidence.keys import KeyRing, load_keys, load_public_keys, read_key_file, write_key_file
from rori_spiders.evidence.signed_notes import SigningKey
from rori_spiders.exceptions import UnknownName, UsageError
from rori_spiders.runtime.redaction import MASK, get_redactor
from tests.evidence.ledgers import new_ring

if TYPE_CHECKING:
    from pathlib import Path

SINCE = datetime(2026, 11, 26, 8, 0, tzinfo=UTC)


def public(ring: KeyRing) -> list[str]:
    return [str(key) for key in ring.verifiers]


def test_key_file_is_for_its_owner_alone_and_reads_back(tmp_path: Path) -> None:
    ring = new_ring("a", "a")
    write_key_file(tmp_path / "keys" / "evidence.key", ring)
    assert (tmp_path / "keys" / "evidence.key").stat().st_mode & 0o777 == 0o600
    assert public(read_key_file(tmp_path / "keys" / "evidence.key")) == public(ring)
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["evidence.key"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_key_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "evidence.key"
    write_key_file(path, new_ring())
    path.chmod(mode)
    with pytest.raises(UsageError, match="chmod 600"):
        read_key_file(path)


def test_key_file_missing_is_an_empty_ring(tmp_path: Path) -> None:
    assert load_keys(tmp_path / "none", {}) == KeyRing()
    assert load_keys(None, {}) == KeyRing()


def test_key_file_with_another_line_names_the_line_and_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "evidence.key"
    secret = new_ring().signing[0].secret()
    path.write_text(f"# a comment\n\n{secret[:-6]}\n")
    path.chmod(0o600)
    with pytest.raises(UsageError, match="line 3") as refusal:
        read_key_file(path)
    assert secret[-30:-6] not in str(refusal.value)


def test_key_of_the_variable_takes_the_place_of_the_file(tmp_path: Path) -> None:
    path, other, ring = tmp_path / "evidence.key", SigningKey.generate("b"), new_ring("a", "a")
    left, retired = ring.without_key(ring.signing[0].verifier.key_id.hex(), since=SINCE, reason="It leaked")
    write_key_file(path, left)
    loaded = load_keys(path, {"RORI_EVIDENCE_KEY": f" {other.secret()}\n"})
    assert loaded.signing[0].secret() == other.secret()
    assert loaded.retired == (retired,)
    assert get_redactor().text(f"key {other.secret()}") == f"key {MASK}"


def test_retired_key_keeps_its_public_half_time_and_reason(tmp_path: Path) -> None:
    path, ring = tmp_path / "evidence.key", new_ring("a", "a")
    gone = ring.signing[0]
    left, _ = ring.without_key(gone.verifier.key_id.hex(), since=SINCE, reason="It leaked")
    write_key_file(path, left)
    assert gone.secret() not in path.read_text()
    read = read_key_file(path)
    assert (read.retired_since(gone.verifier), read.retired[0].reason) == (SINCE, "It leaked")
    assert read.retired_since(ring.signing[1].verifier) is None
    with pytest.raises(UnknownName):
        left.without_key(gone.verifier.key_id.hex(), since=SINCE, reason="x")
    (tmp_path / "public.txt").write_text("\n".join(read.public_lines()))
    assert {*public(load_public_keys(str(tmp_path / "public.txt")))} == {*public(ring)}


@pytest.mark.parametrize("line", ["retired 2026-11-26T08:00:00 KEY", "retired never KEY", "retired 2026", "something"])
def test_key_file_with_a_broken_retirement_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "public.txt"
    path.write_text(line.replace("KEY", str(new_ring().verifiers[0])))
    with pytest.raises(UsageError, match=r"public\.txt, line 1"):
        load_public_keys(str(path))
