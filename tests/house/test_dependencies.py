"""Every dependency is locked by hash, and a known vulnerability is never taken for none."""

from __future__ import annotations

import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parents[2]
AUDIT = runpy.run_path(str(REPOSITORY / ".ci" / "audit_dependencies.py"))
VULNERABLE = {"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "fix_versions": ["1.1"], "description": "Long."}
SKIPPED = {"name": "b", "skip_reason": "Dependency not found"}


@pytest.fixture(scope="module")
def locked() -> dict[str, tuple[str, int]]:
    """Version and number of hashes of each locked package."""
    text = (REPOSITORY / ".ci" / "constraints.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = [re.match(r"([\w.-]+)==([^ ;]+)", line) for line in lines]
    return {
        canonicalize_name(one[1]): (one[2], line.count("--hash=sha256:"))
        for one, line in zip(found, lines, strict=True)
        if one is not None
    }


def test_constraints_each_package_has_hashes(locked: dict[str, tuple[str, int]]) -> None:
    assert len(locked) > 150
    assert not [name for name, (_, hashes) in locked.items() if not hashes]


def test_constraints_declared_dependencies_are_locked_in_range(locked: dict[str, tuple[str, int]]) -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    declared = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    declared += [one for extra in ("dev", "docs", "scrapyd") for one in extras[extra]]
    missing = [
        text
        for text in declared
        if not (one := Requirement(text)).specifier.contains(locked.get(canonicalize_name(one.name), ("0", 0))[0])
    ]
    assert not missing, "run: make constraints"


def pip_audit_output(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_read_pip_audit_vulnerability_is_named_by_all_its_ids() -> None:
    text = pip_audit_output({"name": "a", "version": "1.0", "vulns": [VULNERABLE]}, SKIPPED)
    found, skipped = AUDIT["read_pip_audit"](text)
    assert [(one.package, set(one.ids), one.summary) for one in found] == [
        ("a 1.0", {"PYSEC-2026-1", "CVE-2026-1"}, "mended in 1.1")
    ]
    assert skipped == ["b"]


@pytest.mark.parametrize("text", ["", "No known vulnerabilities found", "[]", pip_audit_output(SKIPPED)])
def test_read_pip_audit_nothing_audited_is_no_answer(text: str) -> None:
    with pytest.raises(AUDIT["NotAnswered"]):
        AUDIT["read_pip_audit"](text)


def test_read_npm_audit_advisories_are_named_once_and_dependents_left_out() -> None:
    advisory = {"source": 1, "title": "Prototype pollution", "url": "https://example.org/advisories/GHSA-a"}
    found = AUDIT["read_npm_audit"](
        json.dumps({"vulnerabilities": {"x": {"via": [advisory]}, "uses-x": {"via": ["x"]}}, "metadata": {}})
    )
    assert [(one.package, set(one.ids), one.summary) for one in found] == [("x", {"GHSA-a"}, "Prototype pollution")]
    assert AUDIT["read_npm_audit"]('{"vulnerabilities": {}}') == []


@pytest.mark.parametrize("text", ["", '{"message": "405 Method Not Allowed", "statusCode": 405}', '{"error": {}}'])
def test_read_npm_audit_error_is_no_answer(text: str) -> None:
    with pytest.raises(AUDIT["NotAnswered"]):
        AUDIT["read_npm_audit"](text)


def test_audit_vulnerability_fails_until_it_is_accepted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accepted = tmp_path / "accepted.toml"
    accepted.write_text("")
    main = AUDIT["main"]
    monkeypatch.setitem(main.__globals__, "ACCEPTED", accepted)
    vulnerability = AUDIT["Vulnerability"]("a 1.0", frozenset({"PYSEC-1", "CVE-1"}), "mended in 1.1")
    monkeypatch.setitem(main.__globals__, "_audit_python", lambda: [vulnerability])
    monkeypatch.setitem(main.__globals__, "_audit_npm", list)
    assert main() == 1
    assert "a 1.0: CVE-1, PYSEC-1: mended in 1.1\n" in capsys.readouterr().out
    accepted.write_text('[[accepted]]\nid = "CVE-1"\nreason = "The server is not used."\ndate = 2026-11-26\n')
    assert main() == 0
    assert "(accepted)" in capsys.readouterr().out


@pytest.mark.parametrize("missing", ["reason", "date"])
def test_read_accepted_entry_without_reason_or_date_is_refused(missing: str) -> None:
    fields = {"id": '"CVE-1"', "reason": '"Not used."', "date": "2026-11-26"}
    text = "[[accepted]]\n" + "".join(f"{key} = {value}\n" for key, value in fields.items() if key != missing)
    with pytest.raises(ValueError, match="needs id, reason and date"):
        AUDIT["read_accepted"](text)


def test_accepted_vulnerabilities_each_has_reason_and_date() -> None:
    AUDIT["read_accepted"]((REPOSITORY / ".ci" / "accepted_vulnerabilities.toml").read_text(encoding="utf-8"))
