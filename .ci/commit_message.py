"""Check a commit message (stage `commit-msg` of pre-commit): `area: imperative, what changed`, a body that says why."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SUBJECT_CHARS = 72
_SUBJECT = re.compile(r"[a-z][\w.-]*(?:, [a-z][\w.-]*)*: [a-z0-9`].*[^.\s]")
_BY_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")
# The first word says what the commit does: "add", not "adds", "added" or "adding".
_NOT_IMPERATIVE = re.compile(r"\w+(?:ed|ing)\b|(?:adds|fixes|makes|removes|uses|moves|changes)\b")
_ENDINGS_OF_IMPERATIVES = {"need", "feed", "embed", "speed", "bring", "ping", "string"}


def problems_of(message: str) -> list[str]:
    """What is wrong with *message*, a sentence each; lines that begin with `#` are git's."""
    lines = [line.rstrip() for line in message.splitlines() if not line.startswith("#")]
    subject, *rest = lines or [""]
    if subject.startswith(_BY_GIT):
        return []
    found = []
    if len(subject) > SUBJECT_CHARS:
        found.append(f"The subject has {len(subject)} characters; at most {SUBJECT_CHARS} are allowed.")
    if not _SUBJECT.fullmatch(subject):
        found.append("The subject must read `area: imperative, what changed`, in lower case, without a full stop.")
    first = subject.partition(": ")[2].partition(" ")[0].rstrip(",")
    if _NOT_IMPERATIVE.fullmatch(first) and first not in _ENDINGS_OF_IMPERATIVES:
        found.append(f"The subject must begin with an imperative (`add`, `fix`), not {first!r}.")
    if rest and rest[0]:
        found.append("The second line must be empty.")
    if not any(rest):
        found.append("The body is missing: say why.")
    return found


if __name__ == "__main__":
    problems = problems_of(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    sys.exit(int(bool(problems)))
