"""Names that stand for law: lettered regulations of the Bureau and the Board, short names of acts, agencies' words."""

# 12 CFR parts by letter. The Bureau restated the consumer regulations in December 2011 (76 FR 78121 and following);
# the Board keeps its own numbers for what it still issues.
BUREAU = {
    "B": 1002, "C": 1003, "D": 1004, "E": 1005, "F": 1006, "G": 1007, "H": 1008, "I": 1009, "J": 1010, "K": 1011,
    "L": 1012, "M": 1013, "N": 1014, "O": 1015, "P": 1016, "V": 1022, "X": 1024, "Z": 1026, "DD": 1030,
}  # fmt: skip
BOARD = {
    "A": 201, "B": 202, "C": 203, "D": 204, "E": 205, "F": 206, "G": 207, "H": 208, "I": 209, "J": 210, "K": 211,
    "L": 212, "M": 213, "N": 214, "O": 215, "P": 216, "Q": 217, "R": 218, "S": 219, "T": 220, "U": 221, "V": 222,
    "W": 223, "X": 224, "Y": 225, "Z": 226, "AA": 227, "BB": 228, "CC": 229, "DD": 230, "EE": 231, "FF": 232, "GG":
    233, "HH": 234, "II": 235, "JJ": 236, "KK": 237, "LL": 238, "MM": 239, "NN": 240, "OO": 241, "PP": 242, "QQ":
    243, "RR": 244, "VV": 248, "WW": 249, "XX": 251, "YY": 252,
}  # fmt: skip

# Long names to the short ones that lawyers use; the same short name whichever way an act is called.
ACTS = {
    "dodd-frank wall street reform and consumer protection act": "Dodd-Frank Act",
    "dodd-frank act": "Dodd-Frank Act",
    "dodd-frank": "Dodd-Frank Act",
    "dfa": "Dodd-Frank Act",
    "consumer financial protection act": "CFPA",
    "truth in lending act": "TILA",
    "real estate settlement procedures act": "RESPA",
    "equal credit opportunity act": "ECOA",
    "electronic fund transfer act": "EFTA",
    "fair credit reporting act": "FCRA",
    "fair debt collection practices act": "FDCPA",
    "truth in savings act": "TISA",
    "home mortgage disclosure act": "HMDA",
    "gramm-leach-bliley act": "GLBA",
    "federal deposit insurance act": "FDIA",
    "fdi act": "FDIA",
    "interstate land sales full disclosure act": "ILSA",
    "s.a.f.e. act": "SAFE Act",
    "safe act": "SAFE Act",
    "secure and fair enforcement for mortgage licensing act": "SAFE Act",
}
SHORT_ACTS = (
    "TILA",
    "RESPA",
    "ECOA",
    "EFTA",
    "FCRA",
    "FDCPA",
    "TISA",
    "HMDA",
    "GLBA",
    "ILSA",
    "CFPA",
    "HOEPA",
    "EESA",
    "NHA",
    "DFA",
)
#: Initials that end like those of an act, of which somebody else has sections.
_NO_ACTS = frozenset(
    {"FHA", "FHFA", "NCUA", "USDA", "FEMA", "FINRA", "EPA", "SBA", "FAA", "NOAA", "NASA", "HOA", "CPA", "UCCA", "FSA"}
)


def is_act(initials: str) -> bool:
    """Whether *initials* may be an act's: "FIRREA", "SCRA"; no agency's, and no state's postal letters."""
    return initials.endswith("A") and len(initials) > 2 and initials not in _NO_ACTS


def act(name: str) -> str:
    """The short name of an act, else its name as printed."""
    plain = " ".join(name.split())
    folded = plain.casefold()
    base, _, year = folded.rpartition(" of ")
    return ACTS.get(folded) or (ACTS.get(base) if year.isdecimal() else None) or plain


def regulation(letter: str, *, board: bool) -> str | None:
    """The part that a lettered regulation is: "12 C.F.R. Part 1026"."""
    part = BOARD.get(letter) if board or letter not in BUREAU else BUREAU[letter]
    return f"12 C.F.R. Part {part}" if part else None


# Checked against the regulations' own text (editions of 2017 and 2012): part 1002 has comments on 1 to 16, part 1013 on
# 1 to 9, part 1003 on 1, 2, 4, 5 and 6.
_CHECKED_COMMENTS = {1002: range(1, 17), 1013: range(1, 10)}
# Not checked against a text: the sections that the parts have, so that a comment finds its part where two are named. Of
# part 1003 section 3 is such a one.
_PRESUMED_COMMENTS = {
    1003: range(1, 7), 1005: range(2, 37), 1006: range(1, 110), 1024: (*range(2, 18), *range(30, 42)),
    1026: range(1, 62), 1030: range(1, 12), 1041: range(1, 16),
    202: range(1, 18), 205: range(2, 21), 213: range(1, 10), 226: range(1, 60), 230: range(1, 12),
}  # fmt: skip
#: The sections on which the Bureau's and the Board's official interpretations (Supplement I of each part) may comment.
COMMENTED = {
    f"12 C.F.R. Part {part}": frozenset(sections) for part, sections in (_CHECKED_COMMENTS | _PRESUMED_COMMENTS).items()
}
