"""The program in a case, by its functions: timestamps of other authorities than that of the other tests, and facts."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from rori_spiders.evidence import timestamps
from rori_spiders.evidence.export import verify_evidence
from tests.evidence.delivery.servers import Authority
from tests.support.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "head\n1\nroot\n"
STAMPED_AT = b"20200301120000Z"
NOT_CHECKED = "timestamp NOT CHECKED: no --tsa-certificate vouches for its authority"


def der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    size = len(content).to_bytes(2, "big")
    return bytes([tag, 0x82]) + size + content


@pytest.fixture(scope="module")
def stamp(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The TSTInfo of a timestamp over NOTE, of March 2020."""
    folder = tmp_path_factory.mktemp("authority")
    with Authority(folder) as authority:
        status, reply = authority.answer(timestamps.request_timestamp(NOTE).as_bytes())
    assert status == 200
    (folder / "reply").write_bytes(reply)
    for command in (
        ["ts", "-reply", "-in", "reply", "-token_out", "-out", "token"],
        ["cms", "-verify", "-noverify", "-inform", "DER", "-in", "token", "-binary", "-out", "stamp"],
    ):
        subprocess.run(["openssl", *command], cwd=folder, check=True, capture_output=True, timeout=30)
    whole = (folder / "stamp").read_bytes()
    at = whole.index(b"\x18\x0f20") + 2  # GeneralizedTime, 15 characters
    return whole[:at] + STAMPED_AT + whole[at + 15 :]


def make_certificate(folder: Path, *, since: int, until: int, usage: x509.ObjectIdentifier) -> Path:
    """`rsa.pem`, its own issuer, of a key in `rsa.key`, valid from one year to another."""
    key, name = rsa.generate_private_key(65537, 2048), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, folder.name)])
    builder = x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key(), serial_number=7)
    builder = builder.not_valid_before(datetime(since, 1, 1, tzinfo=UTC))
    builder = builder.not_valid_after(datetime(until, 1, 1, tzinfo=UTC))
    builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=True)
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "rsa.pem").write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(pem))
    (folder / "rsa.key").write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
    return folder / "rsa.pem"


def sign_stamp(folder: Path, stamp: bytes, digest: str = "sha256", remark: bytes = b"") -> bytes:
    """The response of an authority whose key and certificate `make_certificate` made."""
    (folder / "stamp").write_bytes(stamp)
    command = ["openssl", "cms", "-sign", "-cades", "-binary", "-nodetach", "-in", "stamp", "-signer", "rsa.pem"]
    command += ["-econtent_type", "1.2.840.113549.1.9.16.1.4", "-inkey", "rsa.key", "-md", digest]
    command += ["-keyopt", "rsa_padding_mode:pss", "-outform", "DER", "-out", "token"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=30)
    text = der(0x30, der(0x0C, remark)) if remark else b""
    return der(0x30, der(0x30, b"\x02\x01\x00", text), (folder / "token").read_bytes())


def check(response: bytes, *issuers: Path, said_at: str = "") -> str:
    return verify_evidence.check_timestamp("head", response, NOTE.encode(), said_at, [str(one) for one in issuers])


STAMPS = ExtendedKeyUsageOID.TIME_STAMPING


@pytest.mark.parametrize("digest", ["sha256", "sha384"])
def test_check_timestamp_by_certificate_that_has_ended_since_is_verified(
    tmp_path: Path, stamp: bytes, digest: str
) -> None:
    issuer = make_certificate(tmp_path, since=2020, until=2021, usage=STAMPS)
    response = sign_stamp(tmp_path, stamp, digest)
    assert check(response, issuer) == f"timestamp 2020-03-01T12:00:00Z, issuer in {issuer}"
    assert check(response) == NOT_CHECKED
    changed = response[:-5] + bytes([response[-5] ^ 1]) + response[-4:]
    for wrong, said_at in ((changed, ""), (response, "2020-03-01T12:05:01Z"), (b"junk", "")):
        with pytest.raises(verify_evidence.Failure, match=r"^head: "):
            check(wrong, issuer, said_at=said_at)


@pytest.mark.parametrize(
    ("since", "usage"), [(2021, STAMPS), (2020, ExtendedKeyUsageOID.CODE_SIGNING)], ids=["later", "not for timestamps"]
)
def test_check_timestamp_by_unsuitable_certificate_is_not_checked(
    tmp_path: Path, stamp: bytes, since: int, usage: x509.ObjectIdentifier
) -> None:
    issuer = make_certificate(tmp_path, since=since, until=2030, usage=usage)
    assert check(sign_stamp(tmp_path, stamp), issuer) == NOT_CHECKED


def test_check_timestamp_by_issuer_that_machine_trusts_is_not_checked(
    tmp_path: Path, stamp: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who vouches is what the reader names, not what the machine has for web sites."""
    issuer = make_certificate(tmp_path, since=2020, until=2021, usage=STAMPS)
    response = sign_stamp(tmp_path, stamp)
    (trusted := tmp_path / "trusted").mkdir()
    (trusted / "rsa.pem").write_bytes(issuer.read_bytes())
    subprocess.run(["openssl", "rehash", str(trusted)], check=True, capture_output=True, timeout=30)
    monkeypatch.setenv("SSL_CERT_DIR", str(trusted))
    (other := tmp_path / "other").mkdir()
    assert check(response, make_certificate(other, since=2020, until=2021, usage=STAMPS)) == NOT_CHECKED


def test_check_timestamp_with_remark_that_looks_like_time_gives_signed_one(tmp_path: Path, stamp: bytes) -> None:
    """The status of a response is signed by nobody."""
    issuer = make_certificate(tmp_path, since=2020, until=2021, usage=STAMPS)
    response = sign_stamp(tmp_path, stamp, remark=b"granted\nTime stamp: Jan  1 00:00:00 2020 GMT\n")
    assert check(response, issuer).startswith("timestamp 2020-03-01T12:00:00Z")


@cases(
    "fact",
    [
        *(3, [], {}, {"fact": "audit"}, {"fact": "version"}, {"fact": "envelope", "path": "a"}),
        dict.fromkeys(("fact", *verify_evidence._ALWAYS["version"]), "a") | {"fact": "version", "seq": True},
    ],
)
def test_read_facts_without_what_its_kind_always_has_is_refused(fact: object) -> None:
    """The log has this one leaf, so its root is the leaf's hash."""
    with pytest.raises((verify_evidence.Failure, KeyError, TypeError)):
        read_only_fact(json.dumps(fact))


def read_only_fact(text: str, leaf: object = 0) -> None:
    head = (sha256(b"\0" + text.encode()).digest(), True, "")
    line = json.dumps({"fact": text, "leaf": leaf, "tree_size": 1, "path": []}).encode()
    verify_evidence.read_facts({"evidence/facts.jsonl": line}, {1: head})


@pytest.mark.parametrize("leaf", [False, 0.0, "0", 1])
def test_read_facts_with_leaf_that_is_no_number_of_log_is_refused(leaf: object) -> None:
    read_only_fact('{"fact":"run"}')
    with pytest.raises(verify_evidence.Failure, match="covers 1 only"):
        read_only_fact('{"fact":"run"}', leaf)


def test_verifier_unreadable_certificate_is_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["verify", "case.wacz", "--tsa-certificate", str(tmp_path / "none.pem")])
    with pytest.raises(SystemExit) as ended:
        verify_evidence.main()
    assert ended.value.code == 2
    assert "none.pem is not a file that can be read" in capsys.readouterr().err
