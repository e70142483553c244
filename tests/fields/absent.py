"""Pages that do not say what is asked, by construction: real regulation text without the sentences that could have.

In: texts of pages. Out: ``Planted``: a text, a field, and how it was made. Two kinds. *Cut*: each paragraph, item and
row that has words of all of the subject's groups and something of the kind of its value is taken out; what mentions the
subject without a value stays, headings stay, and so do values of other things. *Made up*: what is asked is of a
programme that does not exist. Every value that is accepted is an invention.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.convert import convert
from rori_spiders.content.documents import read
from rori_spiders.fields.schema import define_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.manifest.models import FieldDefinition

#: Real regulation text, a work of the U.S. government.
SITE = Path(__file__).parents[2] / "rori_spiders" / "terminal" / "demo" / "site"
#: Characters of an excerpt, about: 150 tokens, which the small model reads in a second.
SIZE = 600
_URL = "https://www.example.gov/page"
_BLANK = re.compile(r"\n\s*\n")
_PIECES = re.compile(r"\n(?=\s*(?:[-*+|]|\d{1,9}[.)]\s))")


class Subject(NamedTuple):
    """What is asked, the groups of words that name it (a carrier has one of each), and what its value looks like."""

    asked: dict[str, object]
    groups: tuple[str, ...]
    value: str


class Planted(NamedTuple):
    """``text`` does not say what ``field`` asks; ``kind`` is cut, never (nothing had to be cut) or made up."""

    text: str
    field: FieldDefinition
    kind: str


_DIGIT = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|sixty|ninety|hundred)"
)
_DAY = r"\d{4}|January|February|March|April|May|June|July|August|September|October|November|December"
_ANY = r"\w"
_FEE = r"fee|charg|cost|price|\$"


def _subject(line: str, groups: tuple[str, ...], value: str = _DIGIT, **more: object) -> Subject:
    name, kind, about = line.split(":")
    return Subject({"name": name, "type": kind, "description": about, **more}, groups, value)


SUBJECTS = (
    _subject("application_fee:number:Application fee in dollars", (r"appl", _FEE)),
    _subject("late_fee:number:Late fee in dollars", (r"\blate|delinquen|overdue|past due", _FEE)),
    _subject("apr:number:Annual percentage rate", (r"\bAPR|percent|rate",)),
    _subject("min_credit_score:integer:Minimum credit score of a borrower", (r"credit|FICO|scor",)),
    _subject("down_payment:number:Minimum down payment in percent", (r"\bdown\b|deposit",)),
    _subject("income_limit:number:Highest income of a household in dollars", (r"income|earn|salar|wage",)),
    _subject("retention_years:integer:Years that records are kept", (r"record|retain|retention|keep|kept|document",)),
    _subject("response_days:integer:Days to respond to a complaint", (r"respon|answer|repl|acknowledg|complain",)),
    _subject("registration_fee:number:Registration fee of a loan originator in dollars", (r"regist", _FEE)),
    _subject("penalty_amount:number:Civil penalty for each violation in dollars", (r"penalt|fine\b|fined|sanction",)),
    _subject("escrow_cushion:number:Cushion of an escrow account", (r"cushion|reserve|one-sixth|1/6",)),
    _subject("transfer_notice_days:integer:Days of notice before servicing is transferred", (r"transfer", r"noti")),
    _subject("appraisal_fees:list[number]:Appraisal fees in dollars", (r"apprais|valuation", _FEE)),
    _subject("effective_date:string:Date on which the rule takes effect", (r"effect",), _DAY),
    _subject("comment_deadline:string:Deadline for comments on the proposal", (r"comment", ), _DAY),
    _subject("agency_phone:string:Telephone number of the agency", (r"phone|call|contact|\d{3}-\d{4}",)),
    _subject("docket_number:string:Docket number of the rule", (r"docket|CFPB-|\bNo\.",)),
    _subject("director:string:Name of the agency's director", (r"director|official|sign",), _ANY),
    _subject("rate_type:string:Type of the interest rate", (r"rate|fixed|vari",), _ANY, enum=["fixed", "variable"]),
    _subject("states:list[string]:States in which the exemption holds", (r"\bstate|exempt",), _ANY),
    _subject("prepayment_penalty:boolean:Whether a prepayment penalty is charged", (r"prepa|early|penalt",), _ANY),
    _subject("counseling:boolean:Whether counseling of home buyers is required", (r"counsel|educat|class",), _ANY),
)  # fmt: skip
_PROGRAMMES = (
    "Halvorsen Harbor Assistance Program", "Quillback Valley First Home Grant", "Tamarisk Ridge Bond", "Ostrander Act",
    "Pellworm County Savings Plan", "Brightwater Homebuyer Fund", "Karsk Mortgage Credit Certificate", "Veldhoven Rule",
)  # fmt: skip
_THINGS = (
    ("application_fee", "number", "Application fee in dollars of the {}"),
    ("max_assistance", "number", "Highest amount of assistance in dollars from the {}"),
    ("interest_rate", "number", "Interest rate of loans under the {}"),
    ("years", "integer", "Years that a borrower must stay in the home under the {}"),
    ("effective_date", "string", "Effective date of the {}"),
    ("administrator", "string", "Agency that administers the {}"),
    ("accounts", "boolean", "Whether an escrow account is required by the {}"),
    ("notices", "list[string]", "Notices that a lender sends under the {}"),
)


@cache
def texts_of_site() -> tuple[str, ...]:
    """The markdown of the demo's documents."""
    return tuple(text for path in sorted(SITE.rglob("*")) if path.suffix in {".html", ".xml"} if (text := _text(path)))


def _text(path: Path) -> str:
    if path.suffix == ".xml":
        return read("xml", path.read_bytes(), url=_URL).markdown
    return convert(path.read_bytes(), url=_URL, content_type="text/html; charset=utf-8").markdown


def excerpts(text: str, size: int = SIZE) -> Iterator[str]:
    """*text* in stretches of about *size* characters, at borders of paragraphs, each below its last heading."""
    heading, gathered = "", ""
    for block in _BLANK.split(text):
        if gathered and len(gathered) + len(block) > size:
            yield gathered
            gathered = heading
        if block.startswith("#"):
            heading = f"{block}\n\n"
        gathered += f"{block}\n\n"
    yield gathered


def planted(texts: tuple[str, ...], most: int) -> list[Planted]:
    """So many pages, evenly of *texts*: of three, one asks for what is made up."""
    whole = [one for text in texts for one in dict.fromkeys(excerpts(text)) if 250 < len(one) < 2 * SIZE]
    every = list(dict.fromkeys(whole))
    chosen = [every[at * len(every) // most] for at in range(min(most, len(every)))]
    return [_made_up(text, at) if at % 3 == 2 else _cut(text, at) for at, text in enumerate(chosen)]


def _made_up(text: str, at: int) -> Planted:
    name, kind, about = _THINGS[at // 3 % len(_THINGS)]
    programme = _PROGRAMMES[at // 24 % len(_PROGRAMMES)]
    assert programme.split()[0] not in text
    (field,) = define_fields([{"name": name, "type": kind, "description": about.format(programme)}])
    return Planted(text, field, "made up")


def _cut(text: str, at: int) -> Planted:
    """Of the subjects, in turns, the one that most of the page's words belong to."""
    turn = [SUBJECTS[(at + step) % len(SUBJECTS)] for step in range(6)]
    subject = max(turn, key=lambda one: sum(len(re.findall(group, text, re.IGNORECASE)) for group in one.groups))
    kept = without(text, subject)
    (field,) = define_fields([subject.asked])
    return Planted(kept, field, "cut" if kept != text else "never")


def without(text: str, subject: Subject) -> str:
    """*text* without what could carry a value of *subject*."""
    blocks = [
        "\n".join(one for one in _PIECES.split(block) if not _carries(one, subject)) for block in _BLANK.split(text)
    ]
    return "\n\n".join(block for block in blocks if block.strip())


def _carries(block: str, subject: Subject) -> bool:
    if block.startswith("#"):
        return False
    words = [*subject.groups, subject.value]
    return all(re.search(one, block, re.IGNORECASE) for one in words)
