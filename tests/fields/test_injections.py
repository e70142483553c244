"""A hundred pages on which somebody has planted orders for a model: no field changes, though the model would obey."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from rori_spiders.fields.extraction.page_extraction import extract
from rori_spiders.fields.grounding.evidence import ground
from rori_spiders.fields.grounding.page import Page
from rori_spiders.fields.records import GroundedValue, UngroundedValue
from rori_spiders.fields.schema import define_fields
from rori_spiders.llm.client import ModelClient
from rori_spiders.llm.keys import KeyRotator
from rori_spiders.llm.model import Model
from tests.support.model_budget import UnlimitedBudget
from tests.support.server.chat import GOOD_KEY, Chat, ChatRequest, Raw, said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.fields.extraction.page_extraction import ExtractionResult
    from rori_spiders.manifest.models import FieldDefinition

_FIXTURES = Path(__file__).parent / "fixtures"
#: A page without the order, and with it: behind the text, among items, as a row, before the text.
_PLACES = (
    ("{page}\n", "{page}\n\n{order}\n"),
    ("{page}\n\n- Other\n", "{page}\n\n- Other\n- {order}\n"),
    ("{page}\n\n| Note |\n| --- |\n| Other |\n", "{page}\n\n| Note |\n| --- |\n| {order} |\n| Other |\n"),
    ("{page}\n", "{order}\n\n{page}\n"),
)


#: The honest pages that wordings are put into: more of them would pair each wording with another page.
_PAGES = 46


class Injected(NamedTuple):
    """``body`` is ``clean`` with ``order`` in it, which wants ``false`` for ``field``; the page says ``value``."""

    field: FieldDefinition
    clean: str
    body: str
    order: str
    false: object
    value: object
    quote: str


def injected(wordings: str) -> Iterator[Injected]:
    """Each of the wordings in a page that states the field's value, places and pages in turn."""
    honest = [json.loads(line) for line in (_FIXTURES / "honest.jsonl").read_text(encoding="utf-8").splitlines()]
    pages = [(one, define_fields([one["field"]])[0]) for one in honest]
    pages = [(one, field) for one, field in pages if isinstance(_proven(one, field), GroundedValue)][:_PAGES]
    for at, line in enumerate((_FIXTURES / wordings).read_text(encoding="utf-8").splitlines()):
        page, field = pages[at % len(pages)]
        false = _false(field, page["value"])
        order = line.replace("{field}", field.description).replace("{value}", str(false).lower())
        clean, ordered = (form.format(page=page["page"], order=order) for form in _PLACES[at % len(_PLACES)])
        yield Injected(field, clean, ordered, order, false, page["value"], page["quote"])


def _proven(one: dict[str, str], field: FieldDefinition) -> GroundedValue | UngroundedValue:
    return ground(field, one["value"], one["quote"], Page(one["page"]))


def _false(field: FieldDefinition, value: object) -> object:
    if field.item_type == "boolean":
        return value is not True
    return 0 if field.item_type in {"number", "integer"} else "0"


CASES = [*injected("injections.txt")]
#: Written when the rules were, and taken into them then.
LATER = [*injected("injections_later.txt")]


def _drawn(chat: Chat, case: Injected, body: str) -> ExtractionResult:
    async def asked() -> ExtractionResult:
        async with ModelClient(Model(chat.url, "m"), KeyRotator([GOOD_KEY]), UnlimitedBudget()) as client:
            return await extract(Page(body, "https://a.gov/"), [case.field], client)

    return asyncio.run(asked())


def _told(result: ExtractionResult) -> list[tuple[object, str, str]]:
    return [(one.value, one.proof.quote, one.proof.heading_path) for one in result.record.found]


def _shown(result: ExtractionResult) -> list[tuple[dict[str, str], ...]]:
    return [one.messages for one in result.exchanges]


@pytest.mark.parametrize("case", [*CASES, *LATER], ids=lambda case: case.order[:60])
def test_prompt_injection_known_instructions_change_no_field(chat_server: Chat, case: Injected) -> None:
    """The model obeys every order that it sees, with the order as its quote; else it answers what the page says."""

    def answer(asked: ChatRequest) -> Raw:
        obeys = case.order in asked.text
        claim = {"quote": case.order, "value": case.false} if obeys else {"quote": case.quote, "value": case.value}
        return said({case.field.name: [claim] if case.field.is_list else claim})

    chat_server.answer = answer
    clean = _drawn(chat_server, case, case.clean)
    assert [told[0] for told in _told(clean)] == [case.value]
    result = _drawn(chat_server, case, case.body)
    assert _told(result) == _told(clean) and len(result.withheld) == 1
    assert _shown(result) == _shown(clean), "what no model is shown, none obeys"
    refused = ground(case.field, case.false, case.order, Page(case.body))
    assert isinstance(refused, UngroundedValue) and refused.reason in {"instruction", "not_allowed"}


@pytest.mark.parametrize(
    ("wordings", "found", "doubted", "accepted"),
    [
        # By somebody who had not seen the rules. Before sentences were weighed, 69 were found and 29 accepted; those
        # 29 were in sight when the signs were written.
        ("injections_unseen.txt", 85, 18, 6),
        # By who wrote the signs, but before, laid aside, measured once. Without signs 2 were found and 60 accepted.
        ("injections_laid_aside.txt", 10, 52, 27),
    ],
)
def test_prompt_injection_unseen_wordings_pass_within_bound(
    wordings: str, found: int, doubted: int, accepted: int
) -> None:
    """What docs/explanation/fields.md says that rules and signs are worth."""
    answers = [ground(case.field, case.false, case.order, Page(case.body)) for case in injected(wordings)]
    ends = Counter("accepted" if isinstance(one, GroundedValue) else one.reason for one in answers)
    assert (ends["instruction"], ends["steering"], ends["accepted"]) == (found, doubted, accepted)


def test_prompt_injection_corpus_has_a_hundred_cases() -> None:
    assert len({case.order for case in CASES}) == 100
    assert all(case.order in case.body and case.order not in case.clean for case in CASES)
