#!/usr/bin/env python3
"""Verify a case that RORI Collector exported, without RORI Collector: Python 3.11 and the package `cryptography`.

    python verify_evidence.py CASE.wacz [--key KEY ...] [--tsa-certificate FILE ...] [--page URL] [--date DATE]

Checks that every file is as listed, that every recorded fact is in the log of facts whose heads are signed, and that
texts and bytes are those that the facts name. Exit code 0: all of that holds. 1: something does not. 2: wrong usage.
3: all files agree with each other, but no head is signed by a KEY that you named: whoever made the file could have
made it up. The format is described in docs/reference/evidence-export.md of the project.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import gzip
import hashlib
import json
import pathlib
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import ExtendedKeyUsageOID

_DIGESTS = {bytes.fromhex("608648016503040201"): "sha256", bytes.fromhex("608648016503040203"): "sha512"}
_MESSAGE_DIGEST = bytes.fromhex("2a864886f70d010904")


class Failure(Exception):
    """Raised with a sentence that says what does not hold."""


@dataclass
class Head:
    """The root of the log's first *size* facts; which of the keys signed it, and when; timestamps of others."""

    size: int
    root: bytes
    signed_by: str = ""
    said_at: str = ""
    stamped: list[str] = field(default_factory=list)


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def sha256_hex(data: bytes) -> str:
    return sha256(data).hex()


def read_package(path: str) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        files = {name: package.read(name) for name in package.namelist()}
    digest = json.loads(files["datapackage-digest.json"])
    if digest["hash"] != f"sha256:{sha256_hex(files['datapackage.json'])}":
        raise Failure("datapackage.json is not the one that datapackage-digest.json names")
    listed = {one["path"]: one for one in json.loads(files["datapackage.json"])["resources"]}
    for name, one in listed.items():
        if name not in files or one["hash"] != f"sha256:{sha256_hex(files[name])}":
            raise Failure(f"{name} is missing, or is not the file that datapackage.json lists")
    if extra := files.keys() - listed.keys() - {"datapackage.json", "datapackage-digest.json"}:
        raise Failure(f"datapackage.json does not list {', '.join(sorted(extra))}")
    return files


def read_warc_payloads(data: bytes) -> Iterator[str]:
    """The SHA-256, in hex, of the bytes of each response and resource."""
    whole = gzip.decompress(data)
    at = 0
    while at < len(whole):
        end = whole.index(b"\r\n\r\n", at)
        lines = whole[at:end].decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:])
        block = whole[end + 4 : end + 4 + int(headers["Content-Length"])]
        at = end + 4 + len(block) + 4
        if headers["WARC-Type"] not in {"response", "resource"}:
            continue
        payload = block.partition(b"\r\n\r\n")[2] if headers["WARC-Type"] == "response" else block
        digest = sha256_hex(payload)
        if headers["WARC-Payload-Digest"] != f"sha256:{digest}":
            raise Failure(f"the bytes of {headers['WARC-Target-URI']} are not those that its record names")
        yield digest


# Heads: C2SP signed notes; timestamps (RFC 3161) stand among their signatures.


def read_heads(files: dict[str, bytes], keys: dict[bytes, Any], trusted: list[x509.Certificate]) -> dict[int, Head]:
    heads = {}
    for name in (name for name in files if name.startswith("evidence/heads/")):
        text, _, signatures = files[name].decode().partition("\n\n")
        _, size, root, *more = text.split("\n")
        head = Head(int(size), base64.b64decode(root, validate=True))
        head.said_at = next((line.removeprefix("time ") for line in more if line.startswith("time ")), "")
        signed = f"{text}\n".encode()
        for line in signatures.splitlines():
            _, signer, encoded = line.split(" ")
            raw = base64.b64decode(encoded, validate=True)
            if raw[:4] == sha256(signer.encode() + b"\n\xffrfc3161")[:4]:
                head.stamped.append(read_timestamp(f"{name}, {signer}", raw[4:], signed, trusted))
            elif raw[:4] in keys and keys[raw[:4]][0] == signer:
                keys[raw[:4]][1].verify(raw[4:], signed)
                head.signed_by = signer
        heads[head.size] = head
    return heads


def read_key(text: str) -> tuple[bytes, tuple[str, Ed25519PublicKey]]:
    """A verifier key as C2SP writes it: name+id+key."""
    name, key_id, encoded = text.strip().split("+", 2)
    raw = base64.b64decode(encoded)
    if raw[:1] != b"\1" or sha256(f"{name}\n".encode() + raw)[:4].hex() != key_id:
        raise Failure(f"{text!r} is no Ed25519 verifier key")
    return bytes.fromhex(key_id), (name, Ed25519PublicKey.from_public_bytes(raw[1:]))


def elements(data: bytes) -> list[tuple[int, bytes, bytes]]:
    """The DER elements that stand one after the other in *data*: tag, content, and all of it."""
    found, at = [], 0
    while at < len(data):
        length, start = data[at + 1], at + 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(data[at + 2 : start], "big")
        found.append((data[at], data[start : start + length], data[at : start + length]))
        at = start + length
    return found


def inside(data: bytes, *path: int) -> bytes:
    """The content of the element that the numbers of *path* lead to, one level each."""
    for number in path:
        data = elements(data)[number][1]
    return data


def read_timestamp(name: str, token: bytes, note: bytes, trusted: list[x509.Certificate]) -> str:
    """When which authority saw *note*: *token* is an RFC 3161 response, or the CMS message in it."""
    content = inside(token, 0)
    if elements(content)[0][0] == 0x30:
        content = inside(content, 1)
    signed = inside(content, 1, 0)
    stamp = inside(signed, 2, 1, 0)  # TSTInfo: version, policy, imprint, serial, time
    digest = _DIGESTS.get(inside(stamp, 0, 2, 0, 0))
    if digest is None or hashlib.new(digest, note).digest() != inside(stamp, 0, 2, 1):
        raise Failure(f"{name}: the timestamp is of something else")
    signer = elements(inside(signed, -1, 0))  # version, issuer and serial, digest, attributes, algorithm, signature
    digest = _DIGESTS[inside(signer[2][1], 0)]
    attributes = {inside(one, 0): inside(one, 1, 0) for _, one, _ in elements(signer[3][1])}
    if attributes.get(_MESSAGE_DIGEST) != hashlib.new(digest, stamp).digest():
        raise Failure(f"{name}: the signature is of another timestamp")
    enclosed = next((some for tag, some, _ in elements(signed) if tag == 0xA0), b"")
    sent = [x509.load_der_x509_certificate(one) for *_, one in elements(enclosed)]
    serial = int.from_bytes(inside(signer[1][1], 1), "big")
    certificate = next((one for one in [*sent, *trusted] if one.serial_number == serial), None)
    if certificate is None:
        raise Failure(f"{name}: the certificate of its authority is missing; name it with --tsa-certificate")
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    if ExtendedKeyUsageOID.TIME_STAMPING not in usage:
        raise Failure(f"{name}: signed by a certificate that is not for timestamps")
    kind = hashes.SHA512() if digest == "sha512" else hashes.SHA256()
    key, data = certificate.public_key(), b"\x31" + signer[3][2][1:]  # a SET, for the signature
    if isinstance(key, rsa.RSAPublicKey):
        key.verify(signer[5][1], data, padding.PKCS1v15(), kind)
    elif isinstance(key, ec.EllipticCurvePublicKey):
        key.verify(signer[5][1], data, ec.ECDSA(kind))
    else:
        raise Failure(f"{name}: signed by a key of an unknown kind")
    at = inside(stamp, 0, 4).decode()
    when = f"{at[:4]}-{at[4:6]}-{at[6:8]}T{at[8:10]}:{at[10:12]}:{at[12:]}"
    who = certificate.subject.rfc4514_string()
    for authority in trusted:
        with contextlib.suppress(InvalidSignature, ValueError, TypeError):
            certificate.verify_directly_issued_by(authority)
            return f"{when} by {who}"
    return f"{when} by {who} (nobody vouches for it: name its issuer with --tsa-certificate)"


# Facts: a leaf of the log each (RFC 6962), and the path from there to the root of a head (RFC 9162, 2.1.3.2).


def root_of(leaf: int, size: int, fact: bytes, path: list[str]) -> bytes:
    node, first, last = sha256(b"\0" + fact), leaf, size - 1
    for other in map(bytes.fromhex, path):
        if last == 0:
            raise Failure(f"fact {leaf}: its path is too long")
        if first & 1 or first == last:
            node = sha256(b"\1" + other + node)
            while not first & 1 and first:
                first, last = first >> 1, last >> 1
        else:
            node = sha256(b"\1" + node + other)
        first, last = first >> 1, last >> 1
    if last:
        raise Failure(f"fact {leaf}: its path is too short")
    return node


def read_facts(files: dict[str, bytes], heads: dict[int, Head]) -> list[dict[str, Any]]:
    facts = []
    for line in files["evidence/facts.jsonl"].splitlines():
        one = json.loads(line)
        head = heads.get(one["tree_size"])
        if head is None or root_of(one["leaf"], head.size, one["fact"].encode(), one["path"]) != head.root:
            raise Failure(f"fact {one['leaf']} is not in the log of facts: {one['fact'][:200]}")
        facts.append(json.loads(one["fact"]) | {"head": head, "leaf": one["leaf"]})
    return facts


def check_objects(files: dict[str, bytes], facts: list[dict[str, Any]]) -> list[str]:
    """Texts, bytes and envelopes are those that the facts name; gives what the package does not have."""
    payloads = {digest for name in files if name.startswith("archive/") for digest in read_warc_payloads(files[name])}
    for name, data in files.items():
        if name.startswith("evidence/texts/") and name != f"evidence/texts/{sha256_hex(data)}.md":
            raise Failure(f"{name} is another text")
    absent = []
    for fact in facts:
        envelope = files.get(f"evidence/envelopes/{fact['path']}") if fact["fact"] == "envelope" else None
        if envelope is not None and sha256_hex(envelope) != fact["file_hash"]:
            raise Failure(f"evidence/envelopes/{fact['path']} is another envelope")
        if fact["fact"] == "version" and fact["change_type"] != "deleted":
            if f"evidence/texts/{fact['body_object']}.md" not in files:
                absent.append(f"the text of {fact['url']} of {fact['captured_at']}")
            if fact["raw_object"] not in payloads:
                absent.append(f"the bytes of {fact['url']} of {fact['captured_at']}")
    return absent


def describe(fact: dict[str, Any]) -> str:
    head = fact["head"]
    if not head.signed_by:
        return "in no head that one of your keys has signed"
    return "; timestamp ".join([f"recorded by {head.said_at}, in a head of {head.signed_by}", *head.stamped])


def report(facts: list[dict[str, Any]], page: str | None, until: str) -> None:
    """Each version up to a time, and when the page was seen with its text. Nothing is known in between."""
    versions = [one for one in facts if one["fact"] == "version" and one["captured_at"] <= until]
    looks = [one for one in facts if one["fact"] == "audit" and one["kind"] == "page"]
    for url in sorted({one["url"] for one in versions if page in {None, one["url"]}}):
        print(f"\n{url}")
        seen = sorted((one for one in looks if one["url"] == url), key=lambda one: one["timestamp"])
        for one in sorted((one for one in versions if one["url"] == url), key=lambda one: one["captured_at"]):
            times = [
                look["timestamp"]
                for look in seen
                if look.get("content_hash") == one["content_hash"] and look["timestamp"] <= until
            ]
            what = "removed" if one["change_type"] == "deleted" else f"text {one['body_object']}"
            print(f"  {one['captured_at']}  {what}\n    bytes {one['raw_object']}\n    {describe(one)}")
            print(f"    seen so {len(times)} times: {', '.join([times[0], times[-1]][: len(times)])}" if times else "")
        for look in [look for look in seen if look["timestamp"] > until][:1]:
            print(f"  next looked at {look['timestamp']}: {look['state']}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Verify a case that RORI Collector exported.")
    parser.add_argument("case", help="the .wacz file")
    parser.add_argument("--key", action="append", default=[], help="public key of the ledger (name+id+key); repeatable")
    parser.add_argument("--tsa-certificate", action="append", default=[], help="PEM file of an issuer that you trust")
    parser.add_argument("--page", help="report this URL only")
    parser.add_argument("--date", type=date.fromisoformat, help="report what was held at the end of this day (UTC)")
    opts = parser.parse_args()
    until = f"{opts.date or date.max}T23:59:59.999999Z"
    try:
        trusted = [x509.load_pem_x509_certificate(pathlib.Path(name).read_bytes()) for name in opts.tsa_certificate]
        files = read_package(opts.case)
        facts = read_facts(files, read_heads(files, dict(map(read_key, opts.key)), trusted))
        absent = check_objects(files, facts)
    except InvalidSignature:
        print("NOT VERIFIED: a signature is not of what it stands under.")
        return 1
    except (Failure, KeyError, ValueError, IndexError, OSError, EOFError, zipfile.BadZipFile) as error:
        print(f"NOT VERIFIED: {'' if isinstance(error, Failure) else type(error).__name__ + ': '}{error}.")
        return 1
    report(facts, opts.page, until)
    for one in absent:
        print(f"Not in this file: {one}.")
    unsigned = sum(not one["head"].signed_by for one in facts)
    print(
        f"\n{len(facts)} facts are in the log, {len(facts) - unsigned} of them in heads that one of your keys signed."
    )
    if unsigned:
        print("NOT PROVEN: the others could have been made up by whoever made this file. Name its key with --key.")
    return 3 if unsigned else 0


if __name__ == "__main__":
    sys.exit(main())
