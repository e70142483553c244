#!/usr/bin/env python3
"""Verify a case that RORI Collector exported, without RORI Collector: Python 3.11 and the package `cryptography`.

    python verify_evidence.py CASE.wacz [--key KEY ...] [--tsa-certificate FILE ...] [--page URL] [--date DATE]

Checks that every file is as listed, that every recorded fact is in the log of facts whose heads are signed, and that
texts and bytes are those that the facts name. Exit code 0: all of that holds, and nothing is absent. 2: wrong usage.
Else the first of: 1: something does not hold. 4: what a fact names is absent, and the file does not say so. 3: a fact
is in no head that a KEY of yours has signed: whoever made the file could have made it up. 5: something is absent, as
the file says itself: the word of whoever made it. docs/reference/evidence-export.md of the project has the format.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import gzip
import hashlib
import json
import pathlib
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import ExtendedKeyUsageOID

sha256 = hashlib.sha256
_DIGESTS = {bytes.fromhex(f"60864801650304020{n}"): f"sha{bits}" for n, bits in ((1, 256), (2, 384), (3, 512))}
_PSS = bytes.fromhex("2a864886f70d01010a")
_MESSAGE_DIGEST = bytes.fromhex("2a864886f70d010904")
_HASHES = {"response": "raw_hash", "resource": "raw_hash", "conversion": "content_hash", "revisit": "raw_hash"}
_RECORDS = {"warcinfo", "request", "metadata", *_HASHES}
_ALWAYS = {  # what a fact of a kind has
    "version": ("source_id", "url", "captured_at", "change_type", "body_object", "raw_object", "content_hash", "seq"),
    "audit": ("kind", "manifest_id", "url", "timestamp", "state"),
    "envelope": ("path", "file_hash"),
}


class Failure(Exception):
    """Raised with a sentence that says what does not hold."""


@dataclass
class Head:
    size: int  # of the log: its first facts, which the root covers
    root: bytes
    said_at: str
    signed_by: str = ""
    stamped: list[str] = field(default_factory=list)


def read_package(path: str) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        entries = package.infolist()
        files = {one.filename: package.read(one) for one in entries}
        if len(files) < len(entries):
            raise Failure("a name stands twice in the file")
        if any(one.compress_type for one in entries) or min(one.header_offset for one in entries):
            raise Failure("the ZIP file is compressed, or something stands before its first file")
    if (
        json.loads(files["datapackage-digest.json"])["hash"]
        != f"sha256:{sha256(files['datapackage.json']).hexdigest()}"
    ):
        raise Failure("datapackage.json is not the one that datapackage-digest.json names")
    listed = {"datapackage.json", "datapackage-digest.json"}
    for one in json.loads(files["datapackage.json"])["resources"]:
        name, data = one["path"], files.get(one["path"])
        if data is None or (one["hash"], one["bytes"]) != (f"sha256:{sha256(data).hexdigest()}", len(data)):
            raise Failure(f"{name} is missing, or is not the file that datapackage.json lists")
        if name in listed:
            raise Failure(f"datapackage.json lists {name} twice")
        listed.add(name)
    if files.keys() != listed:
        raise Failure(f"datapackage.json does not list {', '.join(sorted(files.keys() - listed))}")
    return files


def read_records(packed: bytes) -> Iterator[dict[str, str]]:
    """The headers of each WARC record, their names in lower case; `digest` is the SHA-256 in hex of its payload."""
    whole, at = gzip.decompress(packed), 0
    while at < len(whole):
        end = whole.index(b"\r\n\r\n", at)
        version, *lines = whole[at:end].decode().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        kind, size = headers["warc-type"], int(headers["content-length"])
        block = whole[end + 4 : end + 4 + size]
        ends = headers["content-length"] == str(len(block)) and whole[end + 4 + size : end + 8 + size] == b"\r\n\r\n"
        if not ends or version != "WARC/1.1" or len(headers) < len(lines) or kind not in _RECORDS:
            raise Failure(f"at byte {at} of the archive is no whole record")
        at = end + 8 + size
        headers["digest"] = headers.get("warc-payload-digest", "").removeprefix("sha256:")
        payload = block.partition(b"\r\n\r\n")[2] if kind == "response" else block
        if kind in _HASHES.keys() - {"revisit"} and headers["digest"] != sha256(payload).hexdigest():
            raise Failure(f"the bytes of {headers['warc-target-uri']} are not those that its record names")
        yield headers


def read_archives(files: dict[str, bytes]) -> list[dict[str, str]]:
    """Every record; those of the index once more, as viewers find them by it."""
    records = [one for name in files if name.startswith("archive/") for one in read_records(files[name])]
    for line in (line for name in files if name.startswith("indexes/") for line in files[name].decode().splitlines()):
        _, at, about = line.split(" ", 2)
        one = json.loads(about)
        begin, length = int(one["offset"]), int(one["length"])
        (record,) = read_records(files[f"archive/{one['filename']}"][begin : begin + length])
        found = (record["warc-target-uri"], record["digest"], re.sub(r"\D", "", record["warc-date"])[:14])
        if (one["url"], one["digest"].removeprefix("sha256:"), at) != found:
            raise Failure(f"the index names {one['url']} at {at}, where the archive has another record")
        records.append(record)
    return records


def read_heads(files: dict[str, bytes], keys: dict[bytes, Any], trusted: list[x509.Certificate]) -> dict[int, Head]:
    """Heads are C2SP signed notes; timestamps (RFC 3161) stand among their signatures."""
    heads = {}
    for name in (name for name in files if name.startswith("evidence/heads/")):
        text, _, signatures = files[name].decode().partition("\n\n")
        _, size, root, *more = text.split("\n")
        said_at = next((line.removeprefix("time ") for line in more if line.startswith("time ")), "")
        head = Head(int(size), base64.b64decode(root, validate=True), said_at)
        signed = f"{text}\n".encode()
        for line in signatures.splitlines():
            dash, signer, encoded = line.split(" ")
            if dash != "—":
                raise Failure(f"{name}: {line} is no signature")
            raw = base64.b64decode(encoded, validate=True)
            if raw[:4] == sha256(signer.encode() + b"\n\xffrfc3161").digest()[:4]:
                head.stamped.append(read_timestamp(f"{name}, {signer}", raw[4:], signed, trusted, head.said_at))
            elif raw[:4] in keys and keys[raw[:4]][0] == signer:
                keys[raw[:4]][1].verify(raw[4:], signed)
                head.signed_by = signer
        if name != f"evidence/heads/{size}.txt":
            raise Failure(f"{name} is of {size} facts")
        if head.signed_by:
            datetime.fromisoformat(said_at)  # or ValueError
        heads[head.size] = head
    return heads


def read_key(text: str) -> tuple[bytes, tuple[str, Ed25519PublicKey]]:
    """A verifier key as C2SP writes it: name+id+key."""
    name, key_id, encoded = text.strip().split("+", 2)
    raw = base64.b64decode(encoded)
    if raw[:1] != b"\1" or sha256(f"{name}\n".encode() + raw).hexdigest()[:8] != key_id:
        raise ValueError(f"{text!r} is no Ed25519 verifier key")
    return bytes.fromhex(key_id), (name, Ed25519PublicKey.from_public_bytes(raw[1:]))


def elements(data: bytes) -> list[tuple[int, bytes, bytes]]:
    """The DER elements that stand one after the other in *data*: tag, content, and all of it."""
    if not data:
        return []
    length, start = data[1], 2
    if length & 0x80:
        start += length & 0x7F
        length = int.from_bytes(data[2:start], "big")
    end = start + length
    if end > len(data):
        raise Failure("a timestamp is cut")
    return [(data[0], data[start:end], data[:end]), *elements(data[end:])]


def inside(data: bytes, *path: int) -> bytes:
    """The content of the element that the numbers of *path* lead to, one level each."""
    for number in path:
        data = elements(data)[number][1]
    return data


def read_timestamp(name: str, token: bytes, note: bytes, trusted: list[x509.Certificate], said_at: str) -> str:
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
    kind = getattr(hashes, digest.upper())()
    key, data = certificate.public_key(), b"\x31" + signer[3][2][1:]  # a SET, for the signature
    if isinstance(key, rsa.RSAPublicKey):
        pss = padding.PSS(padding.MGF1(kind), padding.PSS.AUTO)
        key.verify(signer[5][1], data, pss if inside(signer[4][1], 0) == _PSS else padding.PKCS1v15(), kind)
    elif isinstance(key, ec.EllipticCurvePublicKey):
        key.verify(signer[5][1], data, ec.ECDSA(kind))
    else:
        raise Failure(f"{name}: signed by a key of an unknown kind")
    at = inside(stamp, 0, 4).decode()
    when = f"{at[:4]}-{at[4:6]}-{at[6:8]}T{at[8:10]}:{at[10:12]}:{at[12:]}"
    if said_at and datetime.fromisoformat(when) < datetime.fromisoformat(said_at) - timedelta(minutes=5):
        raise Failure(f"{name}: the timestamp, of {when}, is older than its head, which is of {said_at}")
    who = certificate.subject.rfc4514_string()
    for authority in trusted:
        with contextlib.suppress(InvalidSignature, ValueError, TypeError):
            certificate.verify_directly_issued_by(authority)
            return f"{when} by {who}"
    return f"{when} by {who} (nobody vouches for it: name its issuer with --tsa-certificate)"


def root_of(leaf: int, size: int, fact: bytes, path: list[str]) -> bytes:
    """The root to which *path* leads from a leaf of the log (RFC 9162, 2.1.3.2)."""
    if not 0 <= leaf < size:
        raise Failure(f"fact {leaf}: its head covers {size} only")
    node, first, last = sha256(b"\0" + fact).digest(), leaf, size - 1
    for encoded in path:
        other = bytes.fromhex(encoded)
        if last == 0 or other.hex() != encoded:
            raise Failure(f"fact {leaf}: its path is too long, or not in lower-case hex")
        if first & 1 or first == last:
            node = sha256(b"\1" + other + node).digest()
            while not first & 1 and first:
                first, last = first >> 1, last >> 1
        else:
            node = sha256(b"\1" + node + other).digest()
        first, last = first >> 1, last >> 1
    return b"" if last else node  # else the path is too short


def read_facts(files: dict[str, bytes], heads: dict[int, Head]) -> list[dict[str, Any]]:
    facts = []
    for line in files["evidence/facts.jsonl"].splitlines():
        one = json.loads(line.decode())
        head = heads.get(one["tree_size"])
        if head is None or root_of(one["leaf"], head.size, one["fact"].encode(), one["path"]) != head.root:
            raise Failure(f"fact {one['leaf']} is not in the log of facts: {one['fact'][:200]}")
        fact = json.loads(one["fact"])
        names = _ALWAYS.get(fact["fact"], ())
        if not all(isinstance(fact.get(name), int if name == "seq" else str) for name in names):
            raise Failure(f"fact {one['leaf']} lacks what its kind always has: {one['fact'][:200]}")
        facts.append(fact | {"head": head})
    return facts


def named_by(fact: dict[str, Any], versions: set[str]) -> Iterator[tuple[str, str]]:
    """What must be in the package by *fact*, each with its hash or path; *versions* are the texts that facts have."""
    if fact["fact"] == "envelope":
        yield "envelope", fact["path"]
    elif fact["fact"] == "version" and fact["change_type"] != "deleted":
        yield from (("text", fact["body_object"]), ("bytes", fact["raw_object"]))
    elif fact["fact"] == "audit":
        if fact["state"] != "unchanged" and fact.get("http_status") != 304 and "raw_hash" in fact:
            yield "bytes", fact["raw_hash"]
        if fact["state"] in {"captured", "unchanged"} and fact.get("content_hash") not in {None, *versions}:
            yield "version", fact["content_hash"]


def check_records(records: list[dict[str, str]], facts: list[dict[str, Any]]) -> None:
    """Each record of bytes or a text has the URL, time and hash that an audit fact has together."""
    audits = [one for one in facts if one["fact"] == "audit"]
    names = ("raw_hash", "content_hash", "http_status")
    rows = {
        (one.get("final_url") or one["url"], one["timestamp"], name, one.get(name)) for one in audits for name in names
    }
    for one in (one for one in records if one["warc-type"] in _HASHES):
        kind, place = one["warc-type"], (one["warc-target-uri"], one["warc-date"])
        proof = (_HASHES[kind], one["digest"])
        known = (*place, *proof) in rows
        if kind == "revisit":
            known = known or (*place, "http_status", 304) in rows
            known = known and (one["warc-refers-to-target-uri"], one["warc-refers-to-date"], *proof) in rows
        if not known:
            raise Failure(f"no fact names the {kind} of {place[0]} at {place[1]}")


def check_objects(files: dict[str, bytes], facts: list[dict[str, Any]]) -> dict[str, str]:
    """Texts, bytes and envelopes are those that facts name; gives by hash or path what is named and not there."""
    records = read_archives(files)
    check_records(records, facts)
    payloads = {one["digest"] for one in records if one["warc-type"] in {"response", "resource"}}
    texts = {name[15:-3]: sha256(files[name]).hexdigest() for name in files if name.startswith("evidence/texts/")}
    envelopes = {name[19:]: sha256(files[name]).hexdigest() for name in files if name.startswith("evidence/envelopes/")}
    named = {
        one.get(name)
        for one in facts
        if one["fact"] in {"audit", "version"}
        for name in ("body_object", "content_hash")
    }
    hashes_of = {one["path"]: one["file_hash"] for one in facts if one["fact"] == "envelope"}
    for name, digest in [*texts.items(), *envelopes.items()]:
        if digest != hashes_of.get(name, name if name in named else None):
            raise Failure(f"no fact names {name} as it is in this file")
    held = {"text": texts, "bytes": payloads, "envelope": envelopes, "version": ()}
    versions = {one["content_hash"] for one in facts if one["fact"] == "version"}
    return {
        name: f"{what} {name} of {one.get('url')}"
        for one in facts
        for what, name in named_by(one, versions)
        if name not in held[what]
    }


def read_absent(files: dict[str, bytes]) -> set[str]:
    names = json.loads(files["evidence/absent.json"])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Failure("evidence/absent.json is no list of names")
    return set(names)


def report(facts: list[dict[str, Any]], page: str | None, until: str) -> None:
    """Each version up to a time, and when the page was seen with its text. Nothing is known in between."""
    versions = [one for one in facts if one["fact"] == "version" and one["captured_at"] <= until]
    looks = [one for one in facts if one["fact"] == "audit" and one["kind"] == "page"]
    for url, source in sorted({(one["url"], one["source_id"]) for one in versions if page in {None, one["url"]}}):
        print(f"\n{url} ({source})")
        same_page = [one for one in looks if (one["url"], one["manifest_id"]) == (url, source)]
        seen = sorted(same_page, key=lambda one: one["timestamp"])
        held = [one for one in versions if (one["url"], one["source_id"]) == (url, source)]
        held.sort(key=lambda one: (one["captured_at"], one["seq"]))
        if gaps := sorted({*range(1, held[-1]["seq"])} - {one["seq"] for one in held}):
            print(f"  versions that are not in this file: {', '.join(map(str, gaps))}")
        for one, later in zip(held, [*(other["captured_at"] for other in held[1:]), "9999-12-31"], strict=True):
            same = [look["timestamp"] for look in seen if look.get("content_hash") == one["content_hash"]]
            times = [at for at in same if one["captured_at"] <= at <= until and at < later]
            what = "removed" if one["change_type"] == "deleted" else f"text {one['body_object']}"
            head = one["head"]
            by = f"recorded by {head.said_at}, in a head of {head.signed_by}"
            proof = "; timestamp ".join([by if head.signed_by else "not signed by a KEY", *head.stamped])
            print(f"  {one['captured_at']}  {what}\n    bytes {one['raw_object']}\n    {proof}")
            print(f"    seen so {len(times)} times: {', '.join([times[0], times[-1]][: len(times)])}" if times else "")
        for look in [look for look in seen if look["timestamp"] > until][:1]:
            print(f"  next looked at {look['timestamp']}: {look['state']}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Verify a case that RORI Collector exported.")
    parser.add_argument("case", help="the .wacz file")
    parser.add_argument(
        "--key", type=read_key, action="append", default=[], help="public key of the ledger (name+id+key); repeatable"
    )
    parser.add_argument("--tsa-certificate", action="append", default=[], help="PEM file of an issuer that you trust")
    parser.add_argument("--page", help="report this URL only")
    parser.add_argument("--date", type=date.fromisoformat, help="report what was held at the end of this day (UTC)")
    opts = parser.parse_args()
    until = f"{opts.date or date.max}T23:59:59.999999Z"
    try:
        trusted = [x509.load_pem_x509_certificate(pathlib.Path(name).read_bytes()) for name in opts.tsa_certificate]
        files = read_package(opts.case)
        facts = read_facts(files, read_heads(files, dict(opts.key), trusted))
        absent, declared = check_objects(files, facts), read_absent(files)
    except Exception as error:  # whatever a file of somebody else brings
        print(f"NOT VERIFIED: {'' if isinstance(error, Failure) else type(error).__name__ + ': '}{error}.")
        return 1
    report(facts, opts.page, until)
    for name, what in absent.items():
        print(f"{'Left out, as the file itself says' if name in declared else 'ABSENT'}: {what}.")
    unsigned = sum(not one["head"].signed_by for one in facts)
    print(f"\n{len(facts)} facts are in the log, {len(facts) - unsigned} in heads that one of your keys signed.")
    if unsigned:
        print("NOT PROVEN: the others could have been made up by whoever made this file. Name its key with --key.")
    return 4 if absent.keys() - declared else 3 if unsigned else 5 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
