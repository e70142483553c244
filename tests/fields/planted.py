"""Pages of which it is known that they do not state a value: every sentence that speaks of it was taken out.

In: texts of real pages (markdown). Out: cases, each a field of a kind that people ask for, and the beginning of a
section without a sentence about it. Whatever is accepted as the field's value there is an invention.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.content.sections import outline
from rori_spiders.fields.grounding.page import Page
from rori_spiders.fields.grounding.quantities import numbers_in
from rori_spiders.fields.schema import define_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rori_spiders.manifest.models import FieldDefinition

#: A field, and words of which at least one stands in every sentence about it (any spelling, any synonym).
ASKED = {
    "apr:number:annual percentage rate of the loan": r"annual percentage|\bapr\b|interest|\brate",
    "min_credit_score:integer:lowest credit score that a borrower may have": r"scor|fico",
    "down_payment:number:minimum down payment in percent": r"\bdown|invest",
    "upfront_mip:number:upfront mortgage insurance premium in percent": r"premium|\bmip\b|insur",
    "funding_fee:number:VA funding fee for first use in percent": r"\bfees?\b|\bva\b|funding",
    "loan_limit:integer:highest loan amount that the program insures": r"limit|amount|maximum|exceed|highest",
    "late_fee:number:late payment fee in percent of the payment": r"\blate\b|\bfees?\b|overdue|delinquen",
    "max_dti:number:highest debt-to-income ratio": r"\bdti\b|debt|ratio",
    "appraisal_fee:number:fee for the appraisal": r"apprais|\bfees?\b",
    "counseling_hours:integer:hours of homebuyer education": r"hour|educat|counsel|course",
    "rescission_days:integer:business days in which a consumer may rescind": r"resci|cancel|\bdays?\b",
    "retention_years:integer:years for which records must be kept": r"retain|retention|\brecord|keep|kept",
    "civil_penalty:number:highest civil money penalty in dollars": r"penalt|\bfine",
    "income_limit:integer:highest household income": r"income|household",
    "minimum_age:integer:age that a borrower must have": r"\bages?\b|years old",
    "phone:string:telephone number of the help line": r"phone|call|toll|\bdial|line",
    "comment_deadline:string:day by which comments are due": r"comment|due|received|deadline",
    "docket:string:docket number of the rule": r"docket|rin\b",
    "effective_date:string:date on which the rule takes effect": r"effect|date|adopt|dated",
    "gift_letter:boolean:whether a gift letter is required": r"gift|letter|donor",
    "prepayment_penalty:boolean:whether a prepayment penalty is allowed": r"prepay|penalt",
    "counties:list[string]:counties in which the program is offered": r"count(?:y|ies)|program|offer",
    "lenders:list[string]:names of the approved lenders": r"lend|bank|creditor|approved|institution",
    "premiums:list[number]:monthly premiums in dollars": r"premium|month",
    "rate_type:string:whether the interest rate is fixed or adjustable": r"fixed|adjust|\brate|interest",
}
_SENTENCE = re.compile(r"[^.!?\n]*(?:[.](?=\S)[^.!?\n]*)*[.!?\n]+")
#: Characters of a page: what a small model reads in a few seconds.
_LEAST, _MOST = 300, 1200


@dataclass(frozen=True)
class Absent:
    """``text`` says nothing of ``field``."""

    field: FieldDefinition
    text: str


def absences(pages: Iterable[str], number: int, seed: int = 1) -> list[Absent]:
    """So many cases, the fields in turn, spread over *pages*; the same for the same seed."""
    sections = [text for body in pages for text in _sections(body)]
    order = random.Random(seed)
    order.shuffle(sections)
    kinds = [(define_fields([field])[0], re.compile(topic, re.IGNORECASE)) for field, topic in ASKED.items()]
    found: list[Absent] = []
    for at in range(len(sections) * len(kinds)):
        field, topic = kinds[at % len(kinds)]
        left = _without(sections[(at // len(kinds) + at * 7) % len(sections)], topic)
        if len(left) >= _LEAST and any(numbers_in(left)):
            found.append(Absent(field, left[:_MOST]))
        if len(found) == number:
            break
    return found


def _sections(body: str) -> Iterator[str]:
    for section in outline(body):
        text = body[section.start : section.end]
        yield from (text[at : at + 2 * _MOST] for at in range(0, len(text), 2 * _MOST) if len(text) - at >= _LEAST)


def _without(text: str, topic: re.Pattern[str]) -> str:
    return "".join(one[0] for one in _SENTENCE.finditer(text) if not topic.search(one[0]))


def claims(case: Absent) -> Iterator[tuple[object, str]]:
    """What a model could claim that takes whatever has the field's type: each with its whole sentence as the quote."""
    for found in _SENTENCE.finditer(Page(case.text).body):
        sentence = found[0].strip()
        kind = case.field.item_type
        if kind in {"number", "integer"}:
            values = (one.value for one in numbers_in(sentence))
            yield from ((int(one) if one == int(one) else float(one), sentence) for one in values)
        elif kind == "boolean":
            yield from ((truth, sentence) for truth in (True, False))
        else:
            yield from ((words, sentence) for words in re.findall(r"[A-Z0-9][\w./-]*(?: [A-Z0-9][\w./-]*)*", sentence))
