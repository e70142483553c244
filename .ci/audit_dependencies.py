"""Ask for known vulnerabilities of all dependencies, Python's and npm's: part of `make check`.

In: `.ci/constraints.txt`, the page's `package-lock.json`, and `.ci/accepted_vulnerabilities.toml`. Out: a line for each
vulnerability, and exit code 1 if one is not accepted. A service that does not answer is named in a line and fails
nothing: many mirrors of the registries know no advisories.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
LOCKED = REPOSITORY / ".ci" / "constraints.txt"
ACCEPTED = REPOSITORY / ".ci" / "accepted_vulnerabilities.toml"
WEB = REPOSITORY / "rori_spiders" / "monitor" / "web"
#: Asked for first, alone: where nothing is known of it, the registry has no advisories, and no other is asked for.
_FIRST = "pip"
_PROBE_S, _AUDIT_S = 20, 300


class NotAnswered(Exception):
    """Raised when a service did not say anything about the dependencies; the text says why."""


@dataclass(frozen=True, slots=True)
class Vulnerability:
    """One of *package*, by all its names: PYSEC, CVE, GHSA."""

    package: str
    ids: frozenset[str]
    summary: str


def read_pip_audit(text: str) -> tuple[list[Vulnerability], list[str]]:
    """What the JSON of pip-audit names, and the packages that it skipped. Raises NotAnswered where it skipped all.

    Its own summary calls packages that were skipped free of known vulnerabilities.
    """
    try:
        packages = json.loads(text)["dependencies"]
    except (ValueError, KeyError, TypeError):
        raise NotAnswered("pip-audit printed no result") from None
    skipped = [one for one in packages if "skip_reason" in one]
    if len(skipped) == len(packages):
        raise NotAnswered(skipped[0]["skip_reason"] if skipped else "pip-audit named no package")
    found = [
        Vulnerability(
            f"{package['name']} {package['version']}",
            frozenset({one["id"], *one["aliases"]}),
            f"mended in {', '.join(one['fix_versions']) or 'no release yet'}",
        )
        for package in packages
        for one in package.get("vulns", [])
    ]
    return found, [one["name"] for one in skipped]


def read_npm_audit(text: str) -> list[Vulnerability]:
    """What the JSON of `npm audit` names. Raises NotAnswered."""
    try:
        answer = json.loads(text)
    except ValueError:
        raise NotAnswered("npm printed no result") from None
    if "vulnerabilities" not in answer:
        raise NotAnswered(str(answer.get("message") or answer.get("error") or "npm printed no result"))
    # A package that merely depends on a vulnerable one names that by a string.
    advisories = [
        (package, advisory)
        for package, found in answer["vulnerabilities"].items()
        for advisory in found["via"]
        if isinstance(advisory, dict)
    ]
    return [
        Vulnerability(package, frozenset({advisory["url"].rpartition("/")[2]}), advisory["title"])
        for package, advisory in advisories
    ]


def read_accepted(text: str) -> set[str]:
    """The identifiers of the vulnerabilities that are accepted. Raises ValueError for one without reason or date."""
    entries = tomllib.loads(text).get("accepted", [])
    for entry in entries:
        if not (entry.get("id") and entry.get("reason") and isinstance(entry.get("date"), date)):
            raise ValueError(f"{ACCEPTED.name}: an entry needs id, reason and date (2026-01-31): {entry}")
    return {entry["id"] for entry in entries}


def _output_of(command: list[str], seconds: float) -> str:
    try:
        return subprocess.run(  # noqa: S603
            command, cwd=WEB, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=seconds
        ).stdout
    except subprocess.TimeoutExpired:
        raise NotAnswered(f"no answer within {seconds:.0f} seconds") from None


def _audit_python() -> list[Vulnerability]:
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--format=json"]
    command += ["--aliases=on", "--progress-spinner=off", "--timeout=10", "--requirement"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as first:
        first.write(_locked(_FIRST))
        first.flush()
        read_pip_audit(_output_of([*command, first.name], _PROBE_S))
    found, skipped = read_pip_audit(_output_of([*command, str(LOCKED)], _AUDIT_S))
    if skipped:
        print(f"Not audited, the advisory service does not know them: {', '.join(skipped)}")
    return found


def _locked(name: str) -> str:
    """The lines of *name* in the file of locked versions: its version, and the hashes below it."""
    _, found, after = f"\n{LOCKED.read_text(encoding='utf-8')}".partition(f"\n{name}==")
    lines = after.splitlines(keepends=True)
    last = next(at for at, line in enumerate(lines) if not line.rstrip().endswith("\\"))
    return found.lstrip() + "".join(lines[: last + 1])


def _audit_npm() -> list[Vulnerability]:
    sys.path.insert(0, str(WEB))
    from building import npm  # type: ignore[import-not-found,unused-ignore]

    called = npm()
    if called is None:
        raise NotAnswered("this machine has no npm")
    return read_npm_audit(
        _output_of([*called, "audit", "--json", "--package-lock-only", "--fetch-retries=0"], _PROBE_S)
    )


def main() -> int:
    """Ask both; return the exit code."""
    accepted = read_accepted(ACCEPTED.read_text(encoding="utf-8"))
    failed = 0
    for name, audit in (("Python", _audit_python), ("npm", _audit_npm)):
        try:
            found = audit()
        except NotAnswered as error:
            print(f"{name} packages were not audited; the advisory service did not answer: {error}")
            continue
        for one in found:
            is_accepted = bool(one.ids & accepted)
            failed += not is_accepted
            known_as = ", ".join(sorted(one.ids))
            print(f"{one.package}: {known_as}: {one.summary}{' (accepted)' if is_accepted else ''}")
        if not found:
            print(f"{name} packages: no known vulnerability")
    if failed:
        print(
            f"Raise these versions (make constraints), or accept them in .ci/{ACCEPTED.name} with a reason and a date."
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
