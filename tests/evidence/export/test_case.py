"""A case of a real crawl: opened by a library of web archives, verified by the program in it, forged and caught."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from rori_spiders.evidence import timestamps
from rori_spiders.evidence.checkpoints import Checkpoint
from rori_spiders.evidence.export import case, ledger_warcs
from rori_spiders.evidence.export.case_selection import CaseScope
from rori_spiders.evidence.export.fact_proofs import UnprovenFact
from rori_spiders.evidence.export.package_signer import DerivedSigner
from rori_spiders.evidence.signed_notes import SigningKey, parse_note, sign_note
from rori_spiders.exceptions import ActionRefused, UnknownName
from rori_spiders.ledger.database import open_ledger
from rori_spiders.monitor.web import building
from rori_spiders.staging.store_factory import open_store
from tests.evidence.delivery.servers import Authority
from tests.evidence.whole_tree import load_tree
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rori_spiders.manifest.catalog import Catalog
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

MADE_AT = datetime(2026, 11, 26, 8, 0, tzinfo=UTC)
VERIFIER = Path(case.__file__).with_name(case.VERIFIER)
NODE_VERIFIER = Path(__file__).with_name("verify_evidence.mjs")


def no_catalog() -> Catalog:
    raise AssertionError("both texts are of this converter")


@dataclass(frozen=True)
class Collected:
    """A source visited twice: `/same` answered 304 then, `/fee` with another figure, `/gone` with 404 both times."""

    project: Project
    site: Site
    key: SigningKey
    heads: dict[int, str]

    @property
    def output(self) -> CrawlOutput:
        return CrawlOutput(self.project)

    def export(self, scope: CaseScope, path: Path, *, is_signed: bool = True) -> case.CaseSummary:
        with open_ledger(f"sqlite:///{self.project.ledger}") as ledger:
            store = open_store(self.project.staging)
            heads, signer = (self.heads, DerivedSigner(self.key)) if is_signed else ({}, None)
            sources = case.CaseSources(ledger, store, no_catalog, heads, signer)
            return case.export_case(sources, scope, path, now=MADE_AT)


@pytest.fixture(scope="module")
def collected(new_site: Callable[[], Site], shared: Project) -> Collected:
    site = new_site()
    site.robots("User-agent: *\nDisallow: /drafts/\n")
    site.page("/", page("Start", "/same", "/fee", "/gone", "/drafts/1"))
    site.page("/same", page("Same", text="The same text on each day."), etag='"1"')
    site.page("/fee", page("Fee", text="A lender may charge $25 within 60 days."))
    shared.manifest([source("rules", site.at("/"), "crawl")], delay_s=0.02)
    for text in ("A lender may charge $25 within 60 days.", "A lender may charge $25 within 61 days."):
        site.page("/fee", page("Fee", text=text))
        done = shared.scrapy("crawl", "rules")
        assert done.returncode in {0, 1}, done.stderr
    key = SigningKey.generate("rori.example.org")
    heads = {}
    with open_ledger(f"sqlite:///{shared.ledger}") as ledger, ledger.connect() as conn:
        tree = load_tree(conn)
    for size in (tree.size // 2, tree.size):
        head = Checkpoint(key.name, size, tree.root(size), datetime(2026, 11, 26, 7, size % 60, tzinfo=UTC))
        heads[size] = str(sign_note(head.render(), key))
    return Collected(shared, site, key, heads)


@pytest.fixture(scope="module")
def exported(collected: Collected, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("case") / "rules.wacz"
    summary = collected.export(CaseScope("rules"), path)
    assert (summary.unsigned, summary.missing) == (0, [])
    return path


def verify(path: Path, *args: str, programs: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the verifier as a stranger would: out of the file, where nothing of ours can be imported.

    *programs*: the one folder where it finds other programs, instead of those of the machine.
    """
    with zipfile.ZipFile(path) as package:
        program = path.with_name("verify.py")
        program.write_bytes(package.read(f"evidence/{case.VERIFIER}"))
    command = [sys.executable, "-I", str(program), str(path), *args]
    env = os.environ | ({"PATH": str(programs)} if programs else {})
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=path.parent, env=env)


def verify_by_node(path: Path, *args: str) -> tuple[int, dict[str, Any]]:
    node, *_ = building.npm() or [""]  # of the machine, or of a package: the monitor's page needs it as well
    assert node, "Node is missing"
    program = node if node.endswith("node") else shutil.which("node")
    command = [str(program), str(NODE_VERIFIER), str(path), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        return {name: package.read(name) for name in package.namelist()}


def rewrite(path: Path, target: Path, files: dict[str, bytes]) -> Path:
    """A package with other *files*, whose list of hashes a forger has made anew."""
    descriptor = json.loads(files["datapackage.json"])
    for one in descriptor["resources"]:
        one |= {"hash": f"sha256:{sha256(files[one['path']]).hexdigest()}", "bytes": len(files[one["path"]])}
    files["datapackage.json"] = json.dumps(descriptor).encode()
    digest = f"sha256:{sha256(files['datapackage.json']).hexdigest()}"
    files["datapackage-digest.json"] = json.dumps({"path": "datapackage.json", "hash": digest}).encode()
    with zipfile.ZipFile(target, "w") as package:
        for name, data in files.items():
            package.writestr(name, data)
    return target


def test_case_is_verified_by_program_in_it(collected: Collected, exported: Path) -> None:
    done = verify(exported, "--key", str(collected.key.verifier))
    assert (done.returncode, done.stderr) == (0, "")
    assert "in heads that one of your keys signed" in done.stdout
    assert collected.site.at("/fee") in done.stdout
    assert done.stdout.count("recorded by 2026-11-26T07:") == 4  # /, /same, and /fee twice


def test_case_without_key_is_not_proven(exported: Path) -> None:
    done = verify(exported)
    assert done.returncode == 3
    assert "NOT PROVEN" in done.stdout
    other = SigningKey.generate("rori.example.org")
    assert verify(exported, "--key", str(other.verifier)).returncode == 3


def test_case_without_signed_heads_is_not_proven(collected: Collected, tmp_path: Path) -> None:
    summary = collected.export(CaseScope("rules"), tmp_path / "a.wacz", is_signed=False)
    assert summary.unsigned == summary.facts > 10
    assert verify(summary.path, "--key", str(collected.key.verifier)).returncode == 3


def test_verifier_tells_what_was_held_on_day(exported: Path) -> None:
    done = verify(exported, "--date", "2026-01-01")
    assert "text" not in done.stdout


def test_case_holds_every_look_as_record(collected: Collected, exported: Path, tmp_path: Path) -> None:
    warc = tmp_path / "data.warc.gz"
    warc.write_bytes(contents(exported)["archive/data.warc.gz"])
    with warc.open("rb") as read:
        kinds = [
            (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read())
            for record in ArchiveIterator(read, check_digests="raise")
        ]
    at = collected.site.at
    assert [kind for kind, url, _ in kinds if url == at("/same")] == [
        *("response", "request", "metadata", "conversion"),
        *("revisit", "request", "metadata"),
    ]
    fees = [body for kind, url, body in kinds if (kind, url) == ("response", at("/fee"))]
    assert [b"60 days" in body for body in fees] == [True, False]
    texts = [body.decode() for kind, url, body in kinds if (kind, url) == ("conversion", at("/fee"))]
    assert "within 61 days" in texts[1]
    assert [kind for kind, url, _ in kinds if url == at("/drafts/1")] == ["metadata", "metadata"]
    about = json.loads(next(body for kind, url, body in kinds if (kind, url) == ("metadata", at("/fee"))))
    assert about["audit"]["verdict"] == "content"
    assert about["record"].startswith("response: ")


def test_case_lists_each_file_and_what_changed(exported: Path) -> None:
    files = contents(exported)
    resources = json.loads(files["datapackage.json"])["resources"]
    listed = {one["path"] for one in resources}
    assert listed == files.keys() - {"datapackage.json", "datapackage-digest.json"}
    names = {one["name"] for one in resources if re.fullmatch("[-a-z0-9._/]+", one["name"])}
    assert len(names) == len(resources), "each name once, as the JSON Schema of data packages allows it"
    (change,) = [data.decode() for name, data in files.items() if name.startswith("evidence/changes/")]
    assert "<del>60</del><ins>61</ins>" in change
    signed = json.loads(files["datapackage-digest.json"])["signedData"]
    assert signed["hash"] == f"sha256:{sha256(files['datapackage.json']).hexdigest()}"
    index = files["indexes/index.cdx"].decode().splitlines()
    assert index == sorted(index)
    assert all('"status": "304"' not in line for line in index)


def test_case_is_same_bytes_each_time(collected: Collected, exported: Path, tmp_path: Path) -> None:
    collected.export(CaseScope("rules"), tmp_path / "again.wacz")
    first, second = contents(exported), contents(tmp_path / "again.wacz")
    signature = "datapackage-digest.json"  # ECDSA takes a random number
    assert {name: data for name, data in first.items() if name != signature} == {
        name: data for name, data in second.items() if name != signature
    }


def test_page_and_run_have_cases_of_their_own(collected: Collected, tmp_path: Path) -> None:
    of_page = collected.export(CaseScope(url=collected.site.at("/fee")), tmp_path / "page.wacz")
    assert of_page.pages == 2
    assert verify(of_page.path, "--key", str(collected.key.verifier)).returncode == 0
    last = collected.output.last_run("rules")["run_id"]
    of_run = collected.export(CaseScope(run_id=last), tmp_path / "run.wacz")
    done = verify(of_run.path, "--key", str(collected.key.verifier))
    assert (done.returncode, "Not in this file" in done.stdout) == (0, False), done.stdout
    assert collected.site.at("/same") in done.stdout, "what the run confirmed is of another run"


def facts_of(path: Path, kind: str) -> list[dict[str, Any]]:
    lines = contents(path)["evidence/facts.jsonl"].splitlines()
    return [fact for line in lines if (fact := json.loads(json.loads(line)["fact"]))["fact"] == kind]


def test_case_since_day_holds_later_rows_and_captures_that_they_confirm(collected: Collected, tmp_path: Path) -> None:
    key, at = ("--key", str(collected.key.verifier)), collected.site.at
    second = collected.output.last_run("rules")
    since = datetime.fromisoformat(second["started_at"])
    path = collected.export(CaseScope("rules", since=since), tmp_path / "since.wacz").path
    done = verify(path, *key)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "Not in this file" not in done.stdout
    assert verify_by_node(path, *key)[0] == 0
    held = {(one["url"], one["seq"]) for one in facts_of(path, "version")}
    assert held == {(at("/"), 1), (at("/same"), 1), (at("/fee"), 2)}, "the fee of before is not confirmed"
    rows = facts_of(path, "audit")
    first = {one["url"] for one in rows if one["run_id"] != second["run_id"]}
    assert first == {at("/"), at("/same")}, "of the first run, what the second saw again"
    assert all(one["timestamp"] >= second["started_at"] for one in rows if one["url"] not in first)
    assert "seen so 2 times" in done.stdout
    assert {one["run_id"] for one in facts_of(path, "run")} == {second["run_id"]}
    of_page = collected.export(CaseScope(url=at("/fee"), since=since), tmp_path / "page.wacz").path
    assert [one["seq"] for one in facts_of(of_page, "version")] == [2]
    assert verify(of_page, *key).returncode == verify_by_node(of_page, *key)[0] == 0
    robots = [one["url"] for one in facts_of(of_page, "audit") if one["kind"] == "robots"]
    assert robots == [at("/robots.txt")]
    with pytest.raises(UnknownName, match="nothing recorded of source rules since 2100-01-01\\."):
        collected.export(CaseScope("rules", since=MADE_AT.replace(year=2100, month=1, day=1, hour=0)), tmp_path / "a")


def test_case_of_run_holds_each_version_that_it_brought(collected: Collected, tmp_path: Path) -> None:
    for run in collected.output.rows("SELECT run_id FROM runs"):
        path = collected.export(CaseScope(run_id=run["run_id"]), tmp_path / f"{run['run_id']}.wacz").path
        own = {(one["url"], one["seq"]) for one in facts_of(path, "version") if one["run_id"] == run["run_id"]}
        query = "SELECT url, seq FROM versions JOIN pages USING (page_id) WHERE run_id = ?"
        assert own == {tuple(row.values()) for row in collected.output.rows(query, run["run_id"])}


def test_case_of_nothing_is_refused(collected: Collected, exported: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="nothing recorded of source other"):
        collected.export(CaseScope("other"), tmp_path / "a.wacz")
    with pytest.raises(ActionRefused, match="exists already"):
        collected.export(CaseScope("rules"), exported)
    assert not list(tmp_path.iterdir())


def stamped_heads(collected: Collected, authority: Authority, *, older: int = 0) -> dict[int, str]:
    """Heads signed *older* days ago, each with a timestamp of now among its signatures."""
    heads = {}
    for size, note in collected.heads.items():
        lines = parse_note(note).text.splitlines()
        signed_at = datetime.now(UTC) - timedelta(seconds=1, days=older)
        lines[3] = f"time {signed_at:%Y-%m-%dT%H:%M:%S}Z"
        text = "".join(f"{line}\n" for line in lines)
        note = str(sign_note(text, collected.key))
        request = timestamps.request_timestamp(text)
        status, response = authority.answer(request.as_bytes())
        assert status == 200, response
        heads[size] = f"{note}{timestamps.accept_response(request, response, 'tsa.example.org')}\n"
    return heads


@pytest.fixture(scope="module")
def stamped(collected: Collected, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A case whose heads have timestamps, and the certificate of the issuer of their authority."""
    folder = tmp_path_factory.mktemp("stamped")
    with Authority(folder) as authority:
        with_stamps = replace(collected, heads=stamped_heads(collected, authority))
    return with_stamps.export(CaseScope("rules"), folder / "case.wacz").path, authority.roots


def swap_timestamps(path: Path, target: Path) -> Path:
    """The first head with the timestamp of the last one."""
    files = contents(path)
    first, last = sorted(name for name in files if name.startswith("evidence/heads/"))
    other = files[last].decode().splitlines()[-1]
    files[first] = "\n".join([*files[first].decode().splitlines()[:-1], other, ""]).encode()
    return rewrite(path, target, files)


def test_verifier_checks_timestamps_by_issuer_that_reader_names(
    collected: Collected, stamped: tuple[Path, Path], tmp_path: Path
) -> None:
    path, issuer = stamped
    trust = ("--key", str(collected.key.verifier), "--tsa-certificate", str(issuer))
    done = verify(path, *trust)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.count("; timestamp 20") == done.stdout.count(f"Z, issuer in {issuer}") == 4
    assert "NOT CHECKED" not in done.stdout
    code, report = verify_by_node(path, *trust)
    assert (code, [stamp["by"] for one in report["versions"] for stamp in one["timestamps"]]) == (
        0,
        ["CN=Test TSA"] * 4,
    )
    forged = swap_timestamps(path, tmp_path / "forged.wacz")
    done = verify(forged, *trust)
    assert (done.returncode, "is of something else" in done.stdout) == (1, True), done.stdout
    assert verify_by_node(forged, *trust)[0] == 1


def test_verifier_counts_no_timestamp_that_it_has_not_checked(
    collected: Collected, stamped: tuple[Path, Path], tmp_path: Path
) -> None:
    path, key = stamped[0], ("--key", str(collected.key.verifier))
    with Authority(tmp_path) as other:
        pass
    for case_path in (path, swap_timestamps(path, tmp_path / "forged.wacz")):
        for issuer in ((), ("--tsa-certificate", str(other.roots))):
            done = verify(case_path, *key, *issuer)
            assert (done.returncode, done.stderr) == (0, ""), done.stdout
            assert (done.stdout.count("timestamp NOT CHECKED"), done.stdout.count("timestamp 20")) == (4, 0)
            code, report = verify_by_node(case_path, *key, *issuer)
            assert (code, {str(one["timestamps"]) for one in report["versions"]}) == (0, {"[None]"})


@pytest.mark.parametrize("version", [None, "LibreSSL 3.3.6", "OpenSSL 1.0.2u  20 Dec 2019"])
def test_verifier_without_openssl_checks_no_timestamps(
    collected: Collected, stamped: tuple[Path, Path], tmp_path: Path, version: str | None
) -> None:
    (path, issuer), key = stamped, ("--key", str(collected.key.verifier))
    if version:
        (tmp_path / "openssl").write_text(f"#!/bin/sh\necho '{version}'\n")
        (tmp_path / "openssl").chmod(0o755)
    done = verify(path, *key, "--tsa-certificate", str(issuer), programs=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--tsa-certificate needs OpenSSL 3 or newer" in done.stderr
    assert verify(path, *key, programs=tmp_path).returncode == 0


def test_verifier_timestamp_older_than_its_head_is_refused(collected: Collected, tmp_path: Path) -> None:
    with Authority(tmp_path) as authority:
        older = replace(collected, heads=stamped_heads(collected, authority, older=-1))
    path = older.export(CaseScope("rules"), tmp_path / "case.wacz").path
    trust = ("--key", str(collected.key.verifier), "--tsa-certificate", str(authority.roots))
    done = verify(path, *trust)
    assert (done.returncode, "is older than its head" in done.stdout) == (1, True), done.stdout
    assert verify_by_node(path, *trust)[0] == 1


FORGERIES = (
    *("text", "bytes", "fact", "path", "head", "envelope", "unlisted"),
    *("replaced bytes", "renamed text", "added text", "added envelope", "leaf beyond head"),
    *("swapped bytes", "moved bytes", "later bytes", "index", "revisit", "kind twice", "heads", "absent"),
)


def list_file(files: dict[str, bytes], name: str) -> None:
    descriptor = json.loads(files["datapackage.json"])
    descriptor["resources"].append({"name": name, "path": name})
    files["datapackage.json"] = json.dumps(descriptor).encode()


def remove_file(files: dict[str, bytes], name: str) -> None:
    descriptor = json.loads(files["datapackage.json"])
    descriptor["resources"] = [one for one in descriptor["resources"] if one["path"] != name]
    files["datapackage.json"] = json.dumps(descriptor).encode()
    del files[name]


def split_records(warc: bytes) -> list[tuple[bytes, bytes]]:
    """Headers, with the empty line after them, and block of each record."""
    found, at, whole = [], 0, gzip.decompress(warc)
    while at < len(whole):
        end = whole.index(b"\r\n\r\n", at) + 4
        length = int(re.findall(rb"Content-Length: (\d+)", whole[at:end])[0])
        found.append((whole[at:end], whole[end : end + length]))
        at = end + length + 4
    return found


def join_records(records: list[tuple[bytes, bytes]]) -> bytes:
    return gzip.compress(b"".join(headers + block + b"\r\n\r\n" for headers, block in records))


def with_payload(headers: bytes, block: bytes) -> tuple[bytes, bytes]:
    """A record of a response with the digest of its bytes."""
    digest = sha256(block.partition(b"\r\n\r\n")[2]).hexdigest().encode()
    return re.sub(rb"(?<=Payload-Digest: sha256:)\w+", digest, headers), block


def drop_records(warc: bytes, *kinds: str, holding: bytes = b"") -> bytes:
    """The WARC file without those records of *kinds* that hold some bytes."""
    named = tuple(f"WARC-Type: {kind}\r\n".encode() for kind in kinds)
    return join_records(
        [one for one in split_records(warc) if holding not in one[1] or not any(name in one[0] for name in named)]
    )


def forge_records(files: dict[str, bytes], forgery: str) -> None:
    """Forgeries that a viewer would show: with digests made anew, and no index."""
    records = split_records(files["archive/data.warc.gz"])
    responses = [n for n, (headers, _) in enumerate(records) if b"WARC-Type: response" in headers]
    first, second = [n for n in responses if b"A lender may" in records[n][1]]
    headers, block = records[first]
    if forgery == "replaced bytes":
        records[first] = with_payload(headers, block.replace(b"60 days", b"90 days"))
    elif forgery == "swapped bytes":
        records[first] = with_payload(headers, records[second][1])
        records[second] = with_payload(records[second][0], block)
    elif forgery == "moved bytes":
        records[first] = (re.sub(rb"(?<=Target-URI: )(\S+)/fee", rb"\1/same", headers), block)
    elif forgery == "later bytes":
        date = re.findall(rb"WARC-Date: \S+", records[second][0])[0]
        records[first] = (re.sub(rb"WARC-Date: \S+", date, headers), block)
    elif forgery == "kind twice":
        records[first] = (headers.replace(b"WARC-Type: response", b"WARC-Type: response\r\nWARC-Type: metadata"), block)
    else:
        at = next(n for n, (headers, _) in enumerate(records) if b"WARC-Type: revisit" in headers)
        date = re.findall(rb"WARC-Date: (\S+)", headers)[0]
        records[at] = (re.sub(rb"(?<=Refers-To-Date: )\S+", date, records[at][0]), records[at][1])
    files["archive/data.warc.gz"] = join_records(records)
    files["indexes/index.cdx"] = b""


def forge(files: dict[str, bytes], forgery: str) -> None:
    """Change one thing as somebody would who knows the format, but has no key."""
    facts = [json.loads(line) for line in files["evidence/facts.jsonl"].splitlines()]
    text = next(name for name, data in files.items() if name.startswith("evidence/texts/") and b"60 days" in data)
    head = max(name for name in files if name.startswith("evidence/heads/"))
    if forgery == "text":
        files[text] = files[text].replace(b"60 days", b"90 days")
    elif forgery == "bytes":
        files["archive/data.warc.gz"] = files["archive/data.warc.gz"][:-900]
    elif forgery == "fact":
        at = next(n for n, one in enumerate(facts) if '"fact":"version"' in one["fact"])
        facts[at]["fact"] = facts[at]["fact"].replace('"captured_at":"20', '"captured_at":"19')
    elif forgery == "path":
        facts[0]["path"] = facts[0]["path"][:-1]
    elif forgery == "head":
        lines = files[head].decode().split("\n")
        files[head] = "\n".join([*lines[:3], lines[3].replace("2026", "2025"), *lines[4:]]).encode()
    elif forgery == "envelope":
        name = next(name for name in files if name.startswith("evidence/envelopes/"))
        files[name] = files[name].replace(b"rules", b"Rules")
    else:
        forge_with_names(files, forgery, text, facts)
    files["evidence/facts.jsonl"] = "".join(f"{json.dumps(one)}\n" for one in facts).encode()


def forge_with_names(files: dict[str, bytes], forgery: str, text: str, facts: list[dict[str, Any]]) -> None:
    """Forgeries whose own names and digests are made anew, and the leaf of a fact."""
    if forgery == "unlisted":
        files["evidence/more.txt"] = b"more"
    elif forgery == "index":  # each line names the record of another
        lines = [line.partition(b"{") for line in files["indexes/index.cdx"].splitlines()]
        places = [json.loads(b"{" + rest) for *_, rest in lines]
        for one, (offset, length) in zip(places, [(one["offset"], one["length"]) for one in places[::-1]], strict=True):
            one |= {"offset": offset, "length": length}
        index = [key + json.dumps(one).encode() + b"\n" for (key, *_), one in zip(lines, places, strict=True)]
        files["indexes/index.cdx"] = b"".join(index)
    elif forgery == "heads":
        heads = sorted(name for name in files if name.startswith("evidence/heads/"))
        files |= dict(zip(heads, [files[name] for name in heads[::-1]], strict=True))
    elif forgery == "absent":
        files["evidence/absent.json"] = b'"a text that holds every hash"'
    elif forgery in {"renamed text", "added text"}:
        other = files[text].replace(b"60 days", b"90 days")
        name = f"evidence/texts/{sha256(other).hexdigest()}.md"
        files[name] = other
        list_file(files, name)
        if forgery == "renamed text":
            remove_file(files, text)
    elif forgery == "added envelope":
        files["evidence/envelopes/rules/more.json"] = b"{}"
        list_file(files, "evidence/envelopes/rules/more.json")
    elif forgery != "leaf beyond head":
        forge_records(files, forgery)
    else:  # the path of the last leaf leads from the one after it as well (RFC 9162 fails it first)
        last = max(facts, key=lambda one: one["leaf"])
        last["leaf"] = last["tree_size"]


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_case_is_not_verified(collected: Collected, exported: Path, tmp_path: Path, forgery: str) -> None:
    files = contents(exported)
    forge(files, forgery)
    forged = rewrite(exported, tmp_path / "forged.wacz", files)
    done = verify(forged, "--key", str(collected.key.verifier))
    assert (done.returncode, done.stderr) == (1, ""), done.stdout
    assert done.stdout.startswith("NOT VERIFIED: ")
    assert verify_by_node(forged, "--key", str(collected.key.verifier))[0] == 1


def left_out(files: dict[str, bytes], what: str) -> str:
    """Take something away that a fact names; gives its name."""
    facts = [json.loads(line) for line in files["evidence/facts.jsonl"].splitlines()]
    texts = [name for name, data in files.items() if name.startswith("evidence/texts/") and b"60 days" in data]
    if what == "text":
        remove_file(files, texts[0])
        return texts[0].removeprefix("evidence/texts/").removesuffix(".md")
    if what == "bytes":
        warc = files["archive/data.warc.gz"]
        files["archive/data.warc.gz"] = drop_records(warc, "response", "resource", holding=b"60 days")
        files["indexes/index.cdx"] = b""
        versions = [json.loads(one["fact"]) for one in facts if '"fact":"version"' in one["fact"]]
        return next(str(one["raw_object"]) for one in versions if f"evidence/texts/{one['body_object']}.md" in texts)
    if what == "envelope":
        name = next(name for name in files if name.startswith("evidence/envelopes/"))
        remove_file(files, name)
        return name.removeprefix("evidence/envelopes/")
    digest = texts[0].removeprefix("evidence/texts/").removesuffix(".md")
    kept = [one for one in facts if not ('"fact":"version"' in one["fact"] and digest in one["fact"])]
    files["evidence/facts.jsonl"] = "".join(f"{json.dumps(one)}\n" for one in kept).encode()
    return digest


@pytest.mark.parametrize("what", ["text", "bytes", "envelope", "version"])
def test_verifier_object_left_out_is_told_apart_from_declared_one(
    collected: Collected, exported: Path, tmp_path: Path, what: str
) -> None:
    files, key = contents(exported), ("--key", str(collected.key.verifier))
    assert json.loads(files["evidence/absent.json"]) == []
    name = left_out(files, what)
    silent = rewrite(exported, tmp_path / "silent.wacz", files)
    done = verify(silent, *key)
    assert (done.returncode, done.stderr) == (4, ""), done.stdout
    assert f"ABSENT: {what} {name}" in done.stdout
    code, report = verify_by_node(silent, *key)
    assert (code, set(report["absent"])) == (4, {name})
    assert verify(silent).returncode == verify_by_node(silent)[0] == 4, "before facts that no KEY has signed"
    files["evidence/absent.json"] = json.dumps([name]).encode()
    declared = rewrite(exported, tmp_path / "declared.wacz", files)
    done = verify(declared, *key)
    assert (done.returncode, "Left out, as the file itself says" in done.stdout) == (5, True), done.stdout
    assert verify_by_node(declared, *key)[0] == 5
    assert verify(declared).returncode == verify_by_node(declared)[0] == 3, "the word of an unknown maker is worth less"


def test_case_object_missing_from_staging_area_is_declared_absent(collected: Collected, tmp_path: Path) -> None:
    key = ("--key", str(collected.key.verifier))
    (row,) = collected.output.rows("SELECT body_object, raw_object FROM versions WHERE seq = 2")
    found = [path for path in collected.project.staging.rglob(f"{row['body_object']}*") if path.is_file()]
    assert found
    for path in found:
        path.rename(path.with_name(f"away-{path.name}"))
    try:
        summary = collected.export(CaseScope("rules"), tmp_path / "a.wacz")
    finally:
        for path in found:
            path.with_name(f"away-{path.name}").rename(path)
    assert summary.missing == [row["body_object"]]
    assert json.loads(contents(summary.path)["evidence/absent.json"]) == summary.missing
    assert verify(summary.path, *key).returncode == 5
    assert verify_by_node(summary.path, *key)[0] == 5


@contextmanager
def damaged_files(collected: Collected, *names: str, cut: bool = False) -> Iterator[None]:
    """Files of the staging area whose names begin so, with one bit changed, or cut."""
    found = [path for name in names for path in collected.project.staging.rglob(f"{name}*") if path.is_file()]
    assert len(found) == len(names)
    before = {path: path.read_bytes() for path in found}
    for path, data in before.items():
        path.chmod(0o600)
        path.write_bytes(data[: len(data) // 2] if cut else data[:40] + bytes([data[40] ^ 1]) + data[41:])
    try:
        yield
    finally:
        for path, data in before.items():
            path.write_bytes(data)


@pytest.mark.parametrize("cut", [False, True])
def test_case_object_damaged_in_staging_area_is_not_claimed(collected: Collected, tmp_path: Path, cut: bool) -> None:
    key = ("--key", str(collected.key.verifier))
    (row,) = collected.output.rows("SELECT body_object, raw_object FROM versions WHERE seq = 2")
    (envelope,) = collected.output.rows("SELECT path FROM envelopes WHERE content_hash = ?", row["body_object"])
    damaged = [row["body_object"], row["raw_object"], envelope["path"]]
    with damaged_files(collected, *damaged[:2], Path(envelope["path"]).name, cut=cut):
        summary = collected.export(CaseScope("rules"), tmp_path / "a.wacz")
        done = collected.project.scrapy("export", "evidence", "rules", "-o", str(tmp_path / "b.wacz"))
        warcs = collected.project.scrapy("export", "warc", "-o", str(tmp_path / "warcs"))
    assert (summary.damaged, summary.missing) == (sorted(damaged), [])
    files = contents(summary.path)
    assert json.loads(files["evidence/absent.json"]) == sorted(damaged)
    assert not {f"evidence/texts/{row['body_object']}.md", f"evidence/envelopes/{envelope['path']}"} & files.keys()
    assert f"sha256:{row['raw_object']}".encode() not in gzip.decompress(files["archive/data.warc.gz"])
    assert not [name for name in files if name.startswith("evidence/changes/")]
    assert verify(summary.path, *key).returncode == verify_by_node(summary.path, *key)[0] == 5
    assert (done.returncode, warcs.returncode) == (1, 1)
    assert f"Damaged in the staging area, so not exported: {row['raw_object']}" in done.stderr
    assert f"Damaged in the staging area, so not exported: {row['body_object']}" in warcs.stderr


def test_case_envelope_missing_without_pruning_is_named(collected: Collected, tmp_path: Path) -> None:
    (envelope, *_) = collected.output.rows("SELECT path FROM envelopes ORDER BY path")
    path = collected.project.staging / envelope["path"]
    path.rename(path.with_suffix(".away"))
    try:
        summary = collected.export(CaseScope("rules"), tmp_path / "a.wacz")
    finally:
        path.with_suffix(".away").rename(path)
    assert summary.missing == [envelope["path"]]


def test_case_records_have_sha256_digests_only(exported: Path) -> None:
    headers = re.findall(rb"WARC-Payload-Digest: (\w+):", gzip.decompress(contents(exported)["archive/data.warc.gz"]))
    assert set(headers) == {b"sha256"}


def test_verifier_name_twice_in_file_is_refused(collected: Collected, exported: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice.wacz"
    shutil.copy(exported, twice)
    with zipfile.ZipFile(twice, "a") as package, pytest.warns(UserWarning, match="Duplicate name"):
        package.writestr("evidence/README.txt", package.read("evidence/README.txt"))
    done = verify(twice, "--key", str(collected.key.verifier))
    assert (done.returncode, "stands twice" in done.stdout) == (1, True), done.stdout
    assert verify_by_node(twice, "--key", str(collected.key.verifier))[0] == 1


def test_verifier_written_from_document_agrees(collected: Collected, exported: Path) -> None:
    code, report = verify_by_node(exported, "--key", str(collected.key.verifier))
    assert (code, report["verified"], report["absent"]) == (0, True, [])
    assert report["facts"] == report["signed_facts"]
    texts = [(one["url"], one["text"]) for one in report["versions"]]
    done = verify(exported, "--key", str(collected.key.verifier))
    assert all(f"text {text}" in done.stdout for _, text in texts)
    assert len(texts) == done.stdout.count("  text ")
    assert verify_by_node(exported)[0] == 3


def test_whole_ledger_is_exported_as_files_that_follow_each_other(collected: Collected, tmp_path: Path) -> None:
    with open_ledger(f"sqlite:///{collected.project.ledger}") as ledger:
        store, folder = open_store(collected.project.staging), tmp_path / "warcs"
        done = ledger_warcs.export_warcs(ledger, store, folder, since=None, now=MADE_AT, max_bytes=4_000)
        with pytest.raises(ActionRefused, match="is not empty"):
            ledger_warcs.export_warcs(ledger, store, folder, since=None, now=MADE_AT)
        none = ledger_warcs.export_warcs(
            ledger, store, tmp_path / "none", since=MADE_AT.replace(year=2100), now=MADE_AT
        )
    files = sorted(folder.iterdir())
    assert (none.rows, none.files) == (0, 0)
    assert done.files == len(files) > 1
    assert done.rows == len(collected.output.rows("SELECT 1 FROM audit"))
    described = 0
    for file in files:
        with file.open("rb") as read:
            described += sum(record.rec_type == "metadata" for record in ArchiveIterator(read, check_digests="raise"))
    assert described == done.rows


def test_export_command_names_file_and_what_it_holds(collected: Collected, tmp_path: Path) -> None:
    done = collected.project.scrapy("export", "evidence", "rules", "-o", str(tmp_path / "unsigned.wacz"))
    assert done.returncode == 0, done.stderr
    assert "No signed head covers" in done.stderr
    env = {"RORI_EVIDENCE_KEY": collected.key.secret()}
    assert collected.project.scrapy("evidence", "sign", env=env).returncode == 0
    done = collected.project.scrapy("export", "evidence", "rules", "-o", str(tmp_path / "rules.wacz"), env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Exported source rules to" in done.stdout
    assert verify(tmp_path / "rules.wacz", "--key", str(collected.key.verifier)).returncode == 0
    assert collected.key.secret() not in done.stdout
    day = ("--since", "2026-01-01")
    since = collected.project.scrapy("export", "evidence", "rules", *day, "-o", str(tmp_path / "since.wacz"), env=env)
    assert (since.returncode, "Exported source rules since 2026-01-01 to" in since.stdout) == (0, True)
    both = collected.project.scrapy("export", "evidence", "--run", "x", *day, "-o", str(tmp_path / "both.wacz"))
    assert (both.returncode, "--since is for a source or a page" in both.stderr) == (2, True)
    done = collected.project.scrapy("export", "evidence", "--run", "no-such-run", "-o", str(tmp_path / "run.wacz"))
    assert (done.returncode, "nothing recorded of run no-such-run" in done.stderr) == (2, True)
    assert collected.project.scrapy("export", "warc", "-o", str(tmp_path / "warcs")).returncode == 0


def test_custody_report_names_hashes_and_leaves_certificate_to_person(collected: Collected, tmp_path: Path) -> None:
    url = collected.site.at("/fee")
    done = collected.project.scrapy("report", "custody", "--page", url, "-o", str(tmp_path / "fee.html"))
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "fee.html").read_text().replace("<wbr>", "")
    for row in collected.output.rows(
        "SELECT body_object, raw_object FROM versions JOIN pages USING (page_id) WHERE url = ?", url
    ):
        assert row["body_object"] in report
        assert row["raw_object"] in report
    assert "902(13)" in report
    assert "<script" not in report
    again = collected.project.scrapy("report", "custody", "--page", url, "-o", str(tmp_path / "fee.html"))
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    wrong = collected.project.scrapy("report", "custody", "rules", "-o", str(tmp_path / "fee.doc"))
    assert (wrong.returncode, ".html or .pdf" in wrong.stderr) == (2, True)


@pytest.mark.browser
def test_custody_report_is_printed_as_pdf(collected: Collected, tmp_path: Path) -> None:
    done = collected.project.scrapy("report", "custody", "rules", "-o", str(tmp_path / "rules.pdf"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "rules.pdf").read_bytes().startswith(b"%PDF-")


def test_verifier_key_that_cannot_be_read_is_wrong_usage(collected: Collected, exported: Path) -> None:
    key = str(collected.key.verifier)
    for wrong in ("garbage", key.replace("+", "+0", 1), f"other.{key}"):
        done = verify(exported, "--key", wrong)
        assert (done.returncode, "--key" in done.stderr) == (2, True)
        assert verify_by_node(exported, "--key", wrong)[0] == 2


def test_verifier_version_left_out_with_its_looks_shows_as_gap(
    collected: Collected, exported: Path, tmp_path: Path
) -> None:
    files, key, kept = contents(exported), ("--key", str(collected.key.verifier)), []
    (old, _) = (one for one in facts_of(exported, "version") if one["url"] == collected.site.at("/fee"))
    for line in files["evidence/facts.jsonl"].splitlines():
        fact = json.loads(json.loads(line)["fact"])
        if old["content_hash"] == fact.get("content_hash") and fact["fact"] == "envelope":
            remove_file(files, f"evidence/envelopes/{fact['path']}")
        kept += [line] if old["content_hash"] != fact.get("content_hash") else []
    files["evidence/facts.jsonl"] = b"".join(line + b"\n" for line in kept)
    remove_file(files, f"evidence/texts/{old['content_hash']}.md")
    warc = files["archive/data.warc.gz"]
    files["archive/data.warc.gz"] = drop_records(warc, "response", "conversion", holding=b"60 days")
    files["indexes/index.cdx"] = b""
    forged = rewrite(exported, tmp_path / "forged.wacz", files)
    done = verify(forged, *key)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("versions that are not in this file: 1\n") == 1
    code, report = verify_by_node(forged, *key)
    assert (code, [one["not_in_file"] for one in report["versions"]].count(1)) == (0, 1)


def test_verifier_stays_short_and_alone() -> None:
    lines = VERIFIER.read_text().splitlines()
    assert len(lines) <= 305
    assert not [line for line in lines if "import" in line and "rori_spiders" in line]


def test_row_that_was_changed_is_not_exported(collected: Collected, tmp_path: Path) -> None:
    (row,) = collected.output.rows("SELECT title FROM versions WHERE seq = 2")
    collected.output.change("UPDATE versions SET title = 'Forged' WHERE seq = 2")
    try:
        with pytest.raises(UnprovenFact, match="scrapy verify"):
            collected.export(CaseScope("rules"), tmp_path / "a.wacz")
    finally:
        collected.output.change("UPDATE versions SET title = ? WHERE seq = 2", row["title"])
    assert not list(tmp_path.iterdir())
