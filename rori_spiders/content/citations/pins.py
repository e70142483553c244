"""Paragraph designations: ``(a)(1)(ii)`` as a path, and what "(B)" after it means.

In the CFR the levels run (a)(1)(i)(A)(1)(i), in the U.S.C. (a)(1)(A)(i)(I); both are told by the form of the
designation, so that "(c) or (d)" after ``553(b)`` replaces (b), and "(C)" after ``(a)(1)(B)`` the last level only.
"""

from __future__ import annotations

import re

# One designation: a number, a roman numeral, one or two letters. "(1968)" and "(the)" are none.
PIN = re.compile(r" ?\((?:\*)?(\d{1,3}|[ivx]{1,6}|[IVX]{1,6}|[a-z]{1,2}|[A-Z]{1,2})(?:\*)?\)")
_ROMAN = re.compile(r"[ivx]+$")
_UPPER_ROMAN = re.compile(r"[IVX]+$")


def read(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The path that begins at ``at`` and the offset behind it. A blank before the first designation is not allowed."""
    path: list[str] = []
    while (match := PIN.match(text, at)) and not (match[0][0] == " " and not path):
        if match[0][0] == " " and not _goes_on(path, match[1]):
            break
        path.append(match[1])
        at = match.end()
    return tuple(path), at


def _goes_on(path: list[str], designation: str) -> bool:
    """After a blank a designation belongs to the path only as its first sub-level: "1026.43 (a)" is a new thought."""
    return bool(path) and designation in ("1", "i", "A")


def written(path: tuple[str, ...]) -> str:
    return "".join(f"({designation})" for designation in path)


def resolved(before: tuple[str, ...], path: tuple[str, ...]) -> tuple[str, ...] | None:
    """The full path of "(C)" or "(d)(1)" in a list after ``before``; None when nothing in it is of the same form."""
    wanted = _form(path[0])
    for level in range(len(before) - 1, -1, -1):
        if wanted & _form_at(before, level):
            return (*before[:level], *path)
    return None


def _form_at(path: tuple[str, ...], level: int) -> set[str]:
    """ "(i)" is the letter after (h) at the first level, and the number one below a number or a capital."""
    forms = _form(path[level])
    if len(forms) < 2:
        return forms
    return forms - {"roman", "upper roman"} if level == 0 else forms - {"letter", "capital"}


def _form(designation: str) -> set[str]:
    if designation.isdecimal():
        return {"number"}
    forms: set[str] = set()
    if _ROMAN.match(designation):
        forms.add("roman")
    if _UPPER_ROMAN.match(designation):
        forms.add("upper roman")
    if len(designation) == 1 or not forms:
        forms.add("letter" if designation.islower() else "capital")
    return forms
