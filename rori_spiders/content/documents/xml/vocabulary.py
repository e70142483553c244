"""Roles of the elements of legal XML: one table from tag to role, for CFR, eCFR, Federal Register and RegML.

Tags are compared without namespace and in capitals. A tag that is not here is a block when it holds blocks, else
part of the text around it: unknown elements never lose their words.
"""

from typing import Literal

Role = Literal[
    "container", "section", "heading", "toc", "quote", "footnote", "stars", "table", "marked",
    "emphasis", "raised", "lowered", "inline", "mark", "lead", "facts", "skip",
]  # fmt: skip

ROLES: dict[str, Role] = {
    # Holders of a heading: their heading is one level below that of what holds them.
    **dict.fromkeys(
        (
            "TITLE1",
            "CHAPTER",
            "SUBCHAP",
            "PART",
            "SUBPART",
            "SUBJGRP",
            "APPENDIX",
            "RULE",
            "PRORULE",
            "NOTICE",
            "PRESDOCU",
            "NEWPART",
            "DIV1",
            "DIV2",
            "DIV3",
            "DIV4",
            "DIV5",
            "DIV6",
            "DIV7",
            "DIV8",
            "DIV9",
            "SUPLINF",
            "AGY",
            "ACT",
            "SUM",
            "DATES",
            "EFFDATE",
            "ADD",
            "FURINF",
            "LSTSUB",
            "REGULATION",
            "INTERPRETATIONS",
            "INTERPSECTION",
            "APPENDIXSECTION",
            "ANALYSIS",
            "ANALYSISSECTION",
        ),
        "container",
    ),
    "SECTION": "section",
    **dict.fromkeys(("HD", "HEAD", "SUBPARTTITLE", "APPENDIXTITLE", "SUBPARTHEADING"), "heading"),
    **dict.fromkeys(("CONTENTS", "CFRTOC", "TABLEOFCONTENTS", "CNTNTS"), "toc"),
    **dict.fromkeys(("EXTRACT", "EXAMPLE"), "quote"),
    **dict.fromkeys(("FTNT", "FOOTNOTE"), "footnote"),
    "STARS": "stars",
    **dict.fromkeys(("GPOTABLE", "TABLE"), "table"),
    **dict.fromkeys(("PARAGRAPH", "INTERPPARAGRAPH", "ANALYSISPARAGRAPH"), "marked"),
    # A label before the text that follows: "Authority:", "Source:".
    **dict.fromkeys(("AUTH", "SOURCE", "EDNOTE", "NOTE", "CROSSREF", "EFFDNOT", "EFFDNOTP", "SECAUTH"), "lead"),
    # About the edition
    **dict.fromkeys(("FDSYS", "PREAMBLE", "HEADER"), "facts"),
    # Within text
    **dict.fromkeys(("E", "I", "B", "EM", "STRONG", "U"), "emphasis"),
    **dict.fromkeys(("SU", "SUP", "FNMARK"), "raised"),
    **dict.fromkeys(("SB", "SUB"), "lowered"),
    **dict.fromkeys(("FR", "AC", "REF", "DEF", "LI", "URL", "A", "SPAN", "DASH", "VARIABLE", "FONT"), "inline"),
    # Positions on paper, not text
    **dict.fromkeys(("PRTPAGE", "FTREF", "MATH", "BR"), "mark"),
}
# GPO's typeface numbers (GPO locator codes): the sets that are bold, and those that sit above or below the line.
BOLD = frozenset({"02", "04", "34"})
RAISED = frozenset({"51", "61"})
LOWERED = frozenset({"52", "54", "62"})
EMPHASISED = frozenset({"03", "05", "15", "20", "53", "72", "73", "74", "7462", "7505"}) | BOLD


def role(tag: object) -> Role | None:
    """The role of an element; None for one that is not in the table, or not an element."""
    return ROLES.get(local(tag)) if isinstance(tag, str) else "skip"


def local(tag: object) -> str:
    """A tag without its namespace, in capitals."""
    return str(tag).rpartition("}")[2].upper()
