"""Codes of the states in the forms of the Bluebook's table T1: "Cal. Civ. Code § 2923.5", "RCW 61.24.030"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.citations import pinpoints
from rori_spiders.content.citations.model import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator

_STATES = (
    r"(?:Ala\.|Alaska|Ariz\.|Ark\.|Cal\.|California|Colo\.|Conn\.|Del\.|D\.C\.|Fla\.|Florida|Ga\.|Haw\.|Idaho|Ill\.|Ind\.|"
    r"Iowa|Kan\.|Ky\.|La\.|Me\.|Md\.|Mass\.|Mich\.|Minn\.|Minnesota|Miss\.|Mo\.|Mont\.|Neb\.|Nev\.|N\.H\.|N\.J\.|N\.M\.|"
    r"N\.Y\.|N\.C\.|N\.D\.|Ohio|Okla\.|Or\.|Oregon|Pa\.|R\.I\.|S\.C\.|S\.D\.|Tenn\.|Tex\.|Texas|Utah|Vt\.|Va\.|Wash\.|"
    r"W\.\s?Va\.|Wis\.|Wyo\.)"
)
_CODE = r"(?:Code(?:\sAnn\.|\sof\sRegs\.)?|Stats?\.(?:\sAnn\.)?|Laws?(?:\sAnn\.)?|Admin\.\sCode|Code\sRegs\.|Regs\.)"
_NUMBER = r"\d{1,5}[A-Z]{0,2}(?:[.:-]\d{1,5}[A-Z]?){0,4}[a-z]?(?![\w-])"
_NAMED = re.compile(
    rf"\b(?P<code>{_STATES}\s(?:[A-Z][\w&.]{{0,15}}\s|&\s){{0,5}}?{_CODE}),?\s{{1,3}}(?:§{{1,2}}|[Ss]ec(?:tions?|\.))\s{{0,3}}(?=\d)"
)
_NAMES_CODE = re.compile(rf"{_CODE},?\s{{1,3}}(?:§|[Ss]ec)")
# Codes with a name of their own need no sign. A.R.S. Arizona, C.R.S. Colorado, K.S.A. Kansas, and so on.
_SHORT_NAMES = (
    r"RCW|WAC|ORS|OAR|NRS|NMSA|N\.J\.S\.A\.|A\.R\.S\.|C\.R\.S\.|K\.S\.A\.|O\.C\.G\.A\.|O\.R\.C\.|"
    r"Ohio\sRevised\sCode|M\.G\.L\.\sc\."
)
_NAMES_SHORT = re.compile(rf"(?:{_SHORT_NAMES})\s")
_SHORT = re.compile(rf"(?<![\w.])(?P<code>{_SHORT_NAMES})\s{{1,3}}(?:§{{1,2}}|[Ss]ec(?:tions?|\.))?\s{{0,3}}(?=\d)")
_ILLINOIS = re.compile(
    r"(?<![\d.])(?P<chapter>\d{1,3})\s{1,3}ILCS\s{1,3}(?P<section>\d{1,4}(?:/[\dA-Z][\w.-]{0,12}\w)?)"
)
_ITEM = re.compile(_NUMBER)


def find(text: str) -> Iterator[Citation]:
    """Sections of states' codes, each of a list; the canonical form keeps the code's name as printed."""
    for match in _NAMED.finditer(text) if _NAMES_CODE.search(text) else ():
        yield from _sections(text, match, f"{' '.join(match['code'].split())} § ")
    for match in _SHORT.finditer(text) if _NAMES_SHORT.search(text) else ():
        yield from _sections(text, match, f"{' '.join(match['code'].split())} " + ("§ " if "§" in match[0] else ""))
    for match in _ILLINOIS.finditer(text) if "ILCS" in text else ():
        yield Citation(match.start(), match.end(), "other", f"{match['chapter']} ILCS {match['section']}")


def _sections(text: str, match: re.Match[str], head: str) -> Iterator[Citation]:
    for index, item in enumerate(pinpoints.read_list(text, match.end(), _ITEM)):
        yield Citation(match.start() if index == 0 else item.start, item.end, "other", head + item.pinned)
