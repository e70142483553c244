"""The program in a case, by its functions: timestamps that the authority of the other tests does not give."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature

from rori_spiders.evidence import timestamps
from rori_spiders.evidence.export import verify_evidence
from tests.evidence.delivery.servers import Authority

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "head\n1\nroot\n"


def make_rsa_certificate(folder: Path) -> None:
    """`rsa.pem`, of a key in `rsa.key`, for timestamps."""
    config = "[req]\ndistinguished_name=name\n[name]\n[ext]\nextendedKeyUsage=critical,timeStamping\n"
    (folder / "rsa.cnf").write_text(config)
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "rsa.key", "-out", "rsa.pem"]
    command += ["-subj", "/CN=PSS", "-days", "2", "-config", "rsa.cnf", "-extensions", "ext"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=30)


@pytest.mark.parametrize("digest", ["sha256", "sha384"])
def test_read_timestamp_signed_by_rsa_pss_is_verified(tmp_path: Path, digest: str) -> None:
    with Authority(tmp_path) as authority:
        status, reply = authority.answer(timestamps.request_timestamp(NOTE).as_bytes())
    assert status == 200
    (tmp_path / "stamp").write_bytes(verify_evidence.inside(reply, 0, 1, 1, 0, 2, 1, 0))  # TSTInfo
    make_rsa_certificate(tmp_path)
    command = ["openssl", "cms", "-sign", "-binary", "-nodetach", "-in", "stamp", "-signer", "rsa.pem"]
    command += ["-econtent_type", "1.2.840.113549.1.9.16.1.4", "-inkey", "rsa.key", "-md", digest]
    command += ["-keyopt", "rsa_padding_mode:pss", "-outform", "DER", "-out", "token"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=30)
    token = (tmp_path / "token").read_bytes()
    certificate = x509.load_pem_x509_certificate((tmp_path / "rsa.pem").read_bytes())
    found = verify_evidence.read_timestamp("head", token, NOTE.encode(), [certificate], "")
    assert found.endswith(" by CN=PSS")
    changed = token[:-5] + bytes([token[-5] ^ 1]) + token[-4:]
    with pytest.raises(InvalidSignature):
        verify_evidence.read_timestamp("head", changed, NOTE.encode(), [certificate], "")


@pytest.mark.parametrize("fact", [3, [], {}, {"fact": "audit"}, {"fact": "version"}, {"fact": "envelope", "path": "a"}])
def test_read_facts_without_what_its_kind_always_has_is_refused(fact: object) -> None:
    """The log has this one leaf, so its root is the leaf's hash."""
    text = json.dumps(fact)
    head = verify_evidence.Head(1, verify_evidence.sha256(b"\0" + text.encode()).digest(), "")
    line = json.dumps({"fact": text, "leaf": 0, "tree_size": 1, "path": []}).encode()
    with pytest.raises((verify_evidence.Failure, KeyError, TypeError)):
        verify_evidence.read_facts({"evidence/facts.jsonl": line}, {1: head})
