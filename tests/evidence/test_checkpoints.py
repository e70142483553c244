"""Heads of the log as text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rori_spiders.evidence.checkpoints import Checkpoint, hash_checkpoint, parse_checkpoint
from rori_spiders.evidence.signed_notes import NoteError, SigningKey
from tests.support.cases import cases

ROOT = bytes(range(32))
HEAD = Checkpoint(
    "ledger.example",
    3,
    ROOT,
    datetime(2026, 11, 26, 8, 0, 1, 5, tzinfo=UTC),
    hash_checkpoint("before"),
    (SigningKey.generate("ledger.example").verifier,),
)


def test_checkpoint_rendered_and_parsed_is_the_same() -> None:
    text = HEAD.render()
    lines = text.split("\n")
    assert lines[:4] == [
        "ledger.example",
        "3",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "time 2026-11-26T08:00:01.000005Z",
    ]
    assert parse_checkpoint(text) == HEAD


def test_checkpoint_of_another_log_is_parsed_without_our_lines() -> None:
    text = Checkpoint("other.example", 0, ROOT).render() + "something else\n"
    assert parse_checkpoint(text) == Checkpoint("other.example", 0, ROOT)


@cases(
    ("old", "new"),
    [
        ("ledger.example", ""),
        ("\n3\n", "\n03\n"),
        ("\n3\n", "\n-3\n"),
        ("AAEC", "AAE"),
        ("2026-11", "2026-13"),
        ("0005Z", "0005"),
        ("previous ", "previous x"),
        ("key ledger", "key  ledger"),
    ],
)
def test_parse_checkpoint_of_another_text_is_refused(old: str, new: str) -> None:
    assert old in HEAD.render()
    with pytest.raises(NoteError):
        parse_checkpoint(HEAD.render().replace(old, new, 1))
