"""Signed notes: signing, reading, verifying, and the keys as text."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rori_spiders.evidence.signed_notes import (
    COSIGNATURE,
    NoteError,
    NoteSignature,
    SigningKey,
    VerifierKey,
    derive_key_id,
    parse_note,
    parse_signing_key,
    parse_verifier_key,
    render_cosigned_message,
    sign_note,
)
from tests.support.cases import cases

#: From golang.org/x/mod/sumdb/note, its documentation.
GO_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
TEXT = "ledger.example\n3\nqUxz\n"


def test_note_of_go_documentation_is_verified_and_signed_the_same() -> None:
    note = parse_note(GO_NOTE)
    assert note.is_signed_by(parse_verifier_key(GO_VERIFIER))
    assert str(sign_note(note.text, parse_signing_key(GO_SECRET))) == GO_NOTE
    assert str(parse_signing_key(GO_SECRET).verifier) == GO_VERIFIER
    assert parse_signing_key(GO_SECRET).secret() == GO_SECRET


def test_note_changed_or_of_another_key_is_not_verified() -> None:
    key = SigningKey.generate("ledger.example")
    note = parse_note(str(sign_note(TEXT, key, SigningKey.generate("ledger.example"))))
    assert note.is_signed_by(key.verifier)
    assert not parse_note(str(note).replace("\n3\n", "\n4\n")).is_signed_by(key.verifier)
    assert not note.is_signed_by(SigningKey.generate("ledger.example").verifier)
    assert not note.is_signed_by(VerifierKey("other.example", key.verifier.public_key))


def test_cosignature_with_its_time_is_verified() -> None:
    private = Ed25519PrivateKey.generate()
    key = VerifierKey("witness.example", private.public_key().public_bytes_raw(), COSIGNATURE)
    value = (1_700_000_000).to_bytes(8, "big") + private.sign(render_cosigned_message(TEXT, 1_700_000_000))
    assert key.verifies(TEXT, NoteSignature(key.name, key.key_id, value))
    assert not key.verifies(TEXT, NoteSignature(key.name, key.key_id, bytes(8) + value[8:]))
    assert parse_verifier_key(str(key)) == key


@cases(
    "note",
    ["", "text\n", "text\n\n", "text\n\n— name\n", "text\n\n— name AAAA\n", "text\n\n- name AAAAAAAA\n", GO_NOTE[:-1]],
)
def test_parse_note_of_another_text_is_refused(note: str) -> None:
    with pytest.raises(NoteError):
        parse_note(note)


@cases("name", ["", "a b", "a+b", "a\nb", "a\x1bb"])
def test_generate_key_with_impossible_name_is_refused(name: str) -> None:
    with pytest.raises(NoteError, match="name of a key"):
        SigningKey.generate(name)


def test_parse_key_damaged_is_refused_without_repeating_a_secret() -> None:
    damaged = GO_SECRET.replace("AYEK", "AYEL")
    with pytest.raises(NoteError, match="damaged") as refusal:
        parse_signing_key(damaged)
    assert "AYEL" not in str(refusal.value)
    for text in (GO_VERIFIER.replace("c74f", "c74e"), "PeterNeumann+c74f20a3", "", "x+00000000+AAAA"):
        with pytest.raises(NoteError):
            parse_verifier_key(text)


def test_key_id_is_of_name_kind_and_key() -> None:
    key = parse_verifier_key(GO_VERIFIER)
    assert derive_key_id("PeterNeumann", 1, key.public_key).hex() == "c74f20a3"
    assert derive_key_id("PeterNeumann", COSIGNATURE, key.public_key) != key.key_id


@pytest.mark.parametrize("text", ["", "text", "a\n\nb\n", "\na\n"])
def test_sign_note_impossible_text_is_refused(text: str) -> None:
    with pytest.raises(NoteError, match="newline"):
        sign_note(text, SigningKey.generate("a"))
