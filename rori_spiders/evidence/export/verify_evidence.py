#!/usr/bin/env python3
"""Verify a case that RORI Collector exported, without RORI Collector: Python 3.11 and the package `cryptography`.

    python verify_evidence.py CASE.wacz [--key KEY ...] [--tsa-certificate FILE ...] [--page URL] [--date DATE]

Checks that every file is as listed, that every recorded fact is in the log of facts whose heads are signed, and that
texts and bytes are those that the facts name. Exit code 0: all of that holds, and nothing is absent. 2: wrong usage.
Else the first of: 1: something does not hold. 4: what a fact names is absent, and the file does not say so. 3: a fact
is in no head that a KEY of yours has signed: the maker of the file could have made it up. 5: something is absent, as
the file says itself: its maker's word. Timestamps of heads are checked by the program `openssl`, and only
with --tsa-certificate. docs/reference/evidence-export.md of the project has the format.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import partial
from hashlib import sha256, sha384, sha512
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_HASHES = {"response": "raw_hash", "resource": "raw_hash", "conversion": "content_hash", "revisit": "raw_hash"}
_RECORDS = {"warcinfo", "request", "metadata", *_HASHES}
_ALWAYS = {  # what a fact of a kind has
    "version": ("source_id", "url", "captured_at", "change_type", "body_object", "raw_object", "content_hash", "seq"),
    "audit": ("kind", "manifest_id", "url", "timestamp", "state"),
    "envelope": ("path", "file_hash"),
}


class Failure(Exception):
    """Raised with a sentence that says what does not hold."""


def demand(holds: bool, sentence: str) -> None:
    if not holds:
        raise Failure(sentence)


def read_package(path: str) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        entries = package.infolist()
        files = {one.filename: package.read(one) for one in entries}
    demand(len(files) == len(entries), "a name stands twice in the file")
    is_plain = not any(one.compress_type for one in entries) and min(one.header_offset for one in entries) == 0
    demand(is_plain, "the ZIP file is compressed, or something stands before its first file")
    found = {name: (f"sha256:{sha256(data).hexdigest()}", len(data)) for name, data in files.items()}
    named = json.loads(files["datapackage-digest.json"])["hash"]
    demand(named == found["datapackage.json"][0], "datapackage-digest.json names another datapackage.json")
    resources = json.loads(files["datapackage.json"])["resources"]
    for one in resources:
        demand(found.get(one["path"]) == (one["hash"], one["bytes"]), f"{one['path']} is not the file that is listed")
    listed = ["datapackage.json", "datapackage-digest.json", *(one["path"] for one in resources)]
    demand(len(listed) == len(files), f"datapackage.json lists a file twice, or not: {files.keys() - listed}")
    return files


def files_in(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {name.removeprefix(folder): data for name, data in files.items() if name.startswith(folder)}


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
        is_record = ends and version == "WARC/1.1" and len(headers) == len(lines) and kind in _RECORDS
        demand(is_record, f"at byte {at} of the archive is not a whole record")
        at = end + 8 + size
        headers["digest"] = headers.get("warc-payload-digest", "").removeprefix("sha256:")
        if kind in _HASHES and kind != "revisit":
            payload = block.partition(b"\r\n\r\n")[2] if kind == "response" else block
            is_same = headers["digest"] == sha256(payload).hexdigest()
            demand(is_same, f"the bytes of {headers['warc-target-uri']} are not those that its record names")
        yield headers


def read_archives(files: dict[str, bytes]) -> list[dict[str, str]]:
    """Every record; those of the index once more, as viewers find them by it."""
    archives = files_in("archive/", files)
    records = [one for data in archives.values() for one in read_records(data)]
    for line in (line for data in files_in("indexes/", files).values() for line in data.decode().splitlines()):
        _, at, about = line.split(" ", 2)
        one = json.loads(about)
        begin, length = int(one["offset"]), int(one["length"])
        (record,) = read_records(archives[one["filename"]][begin : begin + length])
        found = (record["warc-target-uri"], record["digest"], re.sub(r"\D", "", record["warc-date"])[:14])
        same = (one["url"], one["digest"].removeprefix("sha256:"), at) == found
        demand(same, f"the index names {one['url']} at {at}, where the archive has another record")
        records.append(record)
    return records


def read_heads(files: dict[str, bytes], keys: dict[bytes, Any], issuers: list[str]) -> dict[int, Any]:
    """C2SP signed notes, by size of the log: its root, whether a key has signed it, and who did so and when."""
    heads = {}
    for name, note in files_in("evidence/heads/", files).items():
        text, _, signatures = note.decode().partition("\n\n")
        _, size, root, *more = text.split("\n")
        demand(name == f"{size}.txt" and len(root) == 44, f"the head {name} is of {size} facts, with root {root}")
        said_at = next((line.removeprefix("time ") for line in more if line.startswith("time ")), "")
        signed, by, stamps = f"{text}\n".encode(), "", []
        for line in signatures.splitlines():
            dash, signer, encoded = line.split(" ")
            demand(dash == "—", f"the head {name}: {line} is not a signature")
            raw = b64decode(encoded, validate=True)
            if raw[:4] == sha256(signer.encode() + b"\n\xffrfc3161").digest()[:4]:
                stamps.append(check_timestamp(f"the head {name}, {signer}", raw[4:], signed, said_at, issuers))
            elif raw[:4] in keys and keys[raw[:4]][0] == signer:
                keys[raw[:4]][1].verify(raw[4:], signed)
                datetime.fromisoformat(said_at)  # or ValueError
                by = f"recorded by {said_at}, in a head of {signer}"
        heads[int(size)] = (b64decode(root, validate=True), bool(by), "; ".join([by or "not signed by a KEY", *stamps]))
    return heads


def read_key(text: str) -> tuple[bytes, tuple[str, Ed25519PublicKey]]:
    """A verifier key as C2SP writes it: name+id+key."""
    name, key_id, encoded = text.strip().split("+", 2)
    raw = b64decode(encoded)
    if raw[:1] != b"\1" or sha256(f"{name}\n".encode() + raw).hexdigest()[:8] != key_id:
        raise ValueError(f"{text!r} is not an Ed25519 verifier key")
    return bytes.fromhex(key_id), (name, Ed25519PublicKey.from_public_bytes(raw[1:]))


def check_timestamp(where: str, response: bytes, note: bytes, said_at: str, issuers: list[str]) -> str:
    """When *note* was stamped, as OpenSSL checks it (RFC 3161) by a certificate of *issuers*; else that nobody has."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "response").write_bytes(response)
        run = partial(subprocess.run, cwd=folder, capture_output=True, encoding="latin-1", check=False)
        for issuer in map(os.path.abspath, issuers):
            run(["openssl", "ts", "-reply", "-in", "response", "-token_out", "-out", "token"])
            shown = run(["openssl", "ts", "-reply", "-token_in", "-in", "token", "-text"]).stdout
            found = re.findall(r"^Time stamp: (.+?)(?:\.\d+)? (\d{4} GMT)$", shown, re.MULTILINE)
            demand(bool(found), f"{where}: OpenSSL reads no timestamp")
            at = datetime.strptime(" ".join(found[0]), "%b %d %H:%M:%S %Y GMT").replace(tzinfo=UTC)
            check = f"cms -verify -inform DER -in token -binary -out stamp -attime {at.timestamp():.0f}".split()
            trust = ["-CAfile", issuer, "-certfile", issuer, "-partial_chain", "-no-CApath", "-no-CAstore"]
            done = run(["openssl", *check, "-purpose", "timestampsign", *trust])
            if done.returncode and re.search("certificate verify error|signer certificate not found", done.stderr):
                continue  # nobody in this file vouches for its authority
            demand(done.returncode == 0, f"{where}: OpenSSL does not accept the timestamp: {done.stderr.strip()}")
            stamp, digests = Path(folder, "stamp").read_bytes(), (sha256(note), sha384(note), sha512(note))
            demand(any(one.digest() in stamp for one in digests), f"{where}: the timestamp is of something else")
            is_older = said_at and at < datetime.fromisoformat(said_at) - timedelta(minutes=5)
            demand(not is_older, f"{where}: the timestamp, of {at}, is older than its head, which is of {said_at}")
            return f"timestamp {at:%Y-%m-%dT%H:%M:%SZ}, issuer in {issuer}"
    return "timestamp NOT CHECKED: no --tsa-certificate vouches for its authority"


def root_of(leaf: int, size: int, fact: bytes, path: list[str]) -> bytes:
    """The root to which *path* leads from a leaf of the log (RFC 9162, 2.1.3.2)."""
    demand(type(leaf) is int and 0 <= leaf < size, f"fact {leaf}: its head covers {size} only")
    node, first, last = sha256(b"\0" + fact).digest(), leaf, size - 1
    for encoded in path:
        other = bytes.fromhex(encoded)
        demand(last > 0 and other.hex() == encoded, f"fact {leaf}: its path is too long, or not in lower-case hex")
        if first & 1 or first == last:
            node = sha256(b"\1" + other + node).digest()
            while not first & 1 and first:
                first, last = first >> 1, last >> 1
        else:
            node = sha256(b"\1" + node + other).digest()
        first, last = first >> 1, last >> 1
    return b"" if last else node  # else the path is too short


def read_facts(files: dict[str, bytes], heads: dict[int, Any]) -> list[dict[str, Any]]:
    facts = []
    for line in files["evidence/facts.jsonl"].splitlines():
        one = json.loads(line.decode())
        leaf, text, size = one["leaf"], one["fact"], one["tree_size"]
        root, is_signed, proof = heads.get(size, (b"no head", False, ""))
        demand(root_of(leaf, size, text.encode(), one["path"]) == root, f"fact {leaf} is not in the log: {text[:200]}")
        fact = json.loads(text)
        is_whole = all(type(fact.get(key)) is (int if key == "seq" else str) for key in _ALWAYS.get(fact["fact"], ()))
        demand(is_whole, f"fact {leaf} lacks what its kind always has: {text[:200]}")
        facts.append(fact | {"is_signed": is_signed, "proof": proof})
    return facts


def named_by(fact: dict[str, Any], versions: set[str]) -> Iterator[tuple[str, str]]:
    """What must be in the package by *fact*, each with its hash or path; *versions* are the texts that facts have."""
    if fact["fact"] == "envelope":
        yield "envelope", fact["path"]
    elif fact["fact"] == "version" and fact["change_type"] != "deleted":
        pictures = [("picture", digest)] if (digest := fact.get("screenshot_object")) else []
        yield from [("text", fact["body_object"]), ("bytes", fact["raw_object"]), *pictures]
    elif fact["fact"] == "audit":
        if fact["state"] != "unchanged" and fact.get("http_status") != 304 and "raw_hash" in fact:
            yield "bytes", fact["raw_hash"]
        if fact["state"] in {"captured", "unchanged"} and fact.get("content_hash") not in {None, *versions}:
            yield "version", fact["content_hash"]


def check_records(records: list[dict[str, str]], audits: list[dict[str, Any]]) -> None:
    """Each record of bytes or a text has the URL, time and hash that an audit fact has together."""
    names = ("raw_hash", "content_hash", "http_status")
    rows = {(a.get("final_url") or a["url"], a["timestamp"], name, a.get(name)) for a in audits for name in names}
    for one in (one for one in records if one["warc-type"] in _HASHES):
        kind, place = one["warc-type"], (one["warc-target-uri"], one["warc-date"])
        proof = (_HASHES[kind], one["digest"])
        known = (*place, *proof) in rows or (kind == "revisit" and (*place, "http_status", 304) in rows)
        if kind == "revisit":
            known = known and (one["warc-refers-to-target-uri"], one["warc-refers-to-date"], *proof) in rows
        demand(known, f"no fact names the {kind} of {place[0]} at {place[1]}")


def check_objects(files: dict[str, bytes], facts: list[dict[str, Any]]) -> dict[str, str]:
    """Texts, bytes and envelopes are those that facts name; gives by hash or path what is named and not there."""
    of = {kind: [one for one in facts if one["fact"] == kind] for kind in _ALWAYS}
    records = read_archives(files)
    check_records(records, of["audit"])
    named = {one.get(name) for one in of["audit"] + of["version"] for name in ("body_object", "content_hash")}
    texts = {f"{digest}.md": digest for digest in named}
    envelopes = {one["path"]: one["file_hash"] for one in of["envelope"]}
    held = {("bytes", one["digest"]) for one in records if one["warc-type"] in {"response", "resource"}}
    pictures = {f"{digest}.jpg": digest for digest in (one.get("screenshot_object") for one in of["version"])}
    of_kind = (("text", "texts", texts), ("picture", "screenshots", pictures), ("envelope", "envelopes", envelopes))
    for what, folder, hashes in of_kind:
        for name, data in files_in(f"evidence/{folder}/", files).items():
            is_named = hashes.get(name) == sha256(data).hexdigest()
            demand(is_named, f"no fact names evidence/{folder}/{name} as it is here")
            held.add((what, name.removesuffix(".md").removesuffix(".jpg")))
    versions = {one["content_hash"] for one in of["version"]}
    needs = [(one, *needed) for one in facts for needed in named_by(one, versions) if needed not in held]
    return {name: f"{what} {name} of {one.get('url')}" for one, what, name in needs}


def report(facts: list[dict[str, Any]], page: str | None, until: str) -> None:
    """Each version up to a time, and when the page was seen with its text. Nothing is known in between."""
    pages: dict[tuple[str, str], tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for one in facts:
        if one["fact"] == "version" and one["captured_at"] <= until:
            pages[one["url"], one["source_id"]][0].append(one)
        elif one["fact"] == "audit" and one["kind"] == "page":
            pages[one["url"], one["manifest_id"]][1].append(one)
    for (url, source), (held, looks) in sorted(pages.items()):
        if not held or page not in {None, url}:
            continue
        print(f"\n{url} ({source})")
        held.sort(key=lambda one: (one["captured_at"], one["seq"]))
        looks.sort(key=lambda one: one["timestamp"])
        if gaps := sorted({*range(1, held[-1]["seq"])} - {one["seq"] for one in held}):
            print(f"  versions that are not in this file: {', '.join(map(str, gaps))}")
        for one, later in zip(held, [*(other["captured_at"] for other in held[1:]), "9999-12-31"], strict=True):
            what = "removed" if one["change_type"] == "deleted" else f"text {one['body_object']}"
            print(f"  {one['captured_at']}  {what}\n    bytes {one['raw_object']}\n    {one['proof']}")
            same = [look["timestamp"] for look in looks if look.get("content_hash") == one["content_hash"]]
            times = [at for at in same if one["captured_at"] <= at <= until and at < later]
            print(f"    seen so {len(times)} times: {', '.join([times[0], times[-1]][: len(times)])}" if times else "")
        for look in [look for look in looks if look["timestamp"] > until][:1]:
            print(f"  next looked at {look['timestamp']}: {look['state']}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Verify a case that RORI Collector exported.")
    parser.add_argument("case", help="the .wacz file")
    parser.add_argument("--key", type=read_key, action="append", default=[], help="public key: name+id+key; repeatable")
    parser.add_argument("--tsa-certificate", action="append", default=[], help="PEM file of an issuer; repeatable")
    parser.add_argument("--page", help="report this URL only")
    parser.add_argument("--date", type=date.fromisoformat, help="report what was held at the end of this day (UTC)")
    opts = parser.parse_args()
    if opts.tsa_certificate and not re.match(r"OpenSSL ([3-9]|\d\d)", subprocess.getoutput("openssl version")):
        parser.error("--tsa-certificate needs OpenSSL 3 or newer, as the program openssl")
    if unreadable := [path for path in opts.tsa_certificate if not os.access(path, os.R_OK)]:
        parser.error(f"--tsa-certificate: {unreadable[0]} is not a file that can be read")
    try:
        files = read_package(opts.case)
        facts = read_facts(files, read_heads(files, dict(opts.key), opts.tsa_certificate))
        absent, declared = check_objects(files, facts), json.loads(files["evidence/absent.json"])
        demand(type(declared) is list and {*map(type, declared)} <= {str}, "evidence/absent.json does not list names")
    except Exception as error:  # whatever a file of somebody else brings
        print(f"NOT VERIFIED: {'' if isinstance(error, Failure) else type(error).__name__ + ': '}{error}.")
        return 1
    report(facts, opts.page, f"{opts.date or date.max}T23:59:59.999999Z")
    for name, what in absent.items():
        print(f"{'Left out, as the file itself says' if name in declared else 'ABSENT'}: {what}.")
    unsigned = sum(not one["is_signed"] for one in facts)
    print(f"\n{len(facts)} facts are in the log, {len(facts) - unsigned} in heads that one of your keys signed.")
    if unsigned:
        print("NOT PROVEN: the others could have been made up by the maker of this file. Name its key with --key.")
    return 4 if absent.keys() - declared else 3 if unsigned else 5 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
