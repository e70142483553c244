"""What may not go without a person's word: figures, dates, citations, obligations, denials, documents that are linked.

In: a block's markdown. Out: what in it binds, or None. Errs towards binding: what stays too much is read in vain, what
goes too much is missed. English words; text in other letters than Latin ones always binds.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rori_spiders.content.citations import find
from rori_spiders.content.markdown.anchors import leads_to_document
from rori_spiders.corpus.cleaning.visible import visible
from rori_spiders.fields.statements import says

_FIGURE = re.compile(r"\d|[%$€£¥§¶½¼¾⅓⅔]")
_NUMBERS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|hundred|thousand|million|billion|half|quarter|third|percent|twice|double|zero)s?\b",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\b(?:days?|weeks?|months?|years?|hours?|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|january|february|march"
    r"|april|june|july|august|september|october|november|december|deadlines?|until|expir\w*|effective|due|former(?:ly)?)\b",
    re.IGNORECASE,
)
_OBLIGES = re.compile(
    r"\b(?:must|shall|should|may|might|ought|need(?:s|ed)? to|ha(?:s|ve|d) to|requir\w*|oblig\w*|mandat\w*|entitl\w*"
    r"|eligib\w*|qualif\w*|liab\w*|penalt\w*|fines?|fees?|comply|compli\w*|permit\w*|allow\w*|authori[sz]\w*|consent\w*"
    r"|approv\w*|amend\w*|supersed\w*|rescind\w*|terminat\w*|reserv\w*|means|defin\w*|subject to|pursuant|provided that"
    r"|according to|warrant\w*|guarant\w*|disclaim\w*|official|caution|warning|danger|restrict\w*|limit\w*|only)\b",
    re.IGNORECASE,
)
# Laws by their names alone, which are no citations yet ("the Truth in Lending Act"). Capitals count.
_LAWS = re.compile(
    r"\b(?:Acts?|Bills?|Code|Regulations?|Rules?|Statutes?|Circulars?|Bulletins?|Handbooks?|Ordinances?|Directives?|Orders?"
    r"|Constitution|Amendments?|Treat(?:y|ies))\b"
)
_OTHER_LETTERS = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")


@lru_cache(maxsize=1024)
def binds(text: str) -> str | None:
    """What in the block binds: ``figure``, ``obligation``, ``denial``, ...; None when nothing does."""
    seen = visible(text)
    tests = (
        ("figure", _FIGURE), ("number", _NUMBERS), ("time", _TIMES), ("obligation", _OBLIGES), ("citation", _LAWS),
        ("unread language", _OTHER_LETTERS),
    )  # fmt: skip
    if found := next((name for name, pattern in tests if pattern.search(seen.text)), None):
        return found
    if any(leads_to_document(target) for target in seen.targets):
        return "document"
    if says(seen.text, "") is not True:
        return "denial"
    return "citation" if find(seen.text) else None
