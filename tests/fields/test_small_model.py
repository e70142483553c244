"""A real language model of 135 million parameters, served by llama.cpp: some of `benchmarks.small_model`.

It takes some 30 seconds. What is not what a test needs fails here as everywhere: `make model` fetches it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rori_spiders.fields.extraction.prompt import parse_answer
from rori_spiders.fields.records import values_of
from rori_spiders.llm.client import ModelClient
from tests.fields.absent import planted, texts_of_site
from tests.fields.model_runs import WAYS, drawn
from tests.fields.test_injections import injected
from tests.support.server.small_model import SmallModel

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def small_model() -> Iterator[SmallModel]:
    with SmallModel() as served:
        yield served


def test_small_model_missing_values_are_rejected_and_shapes_are_valid(small_model: SmallModel) -> None:
    pages = planted(texts_of_site(), 500)[::100]
    assert len(pages) == 5
    claimed = 0
    for page in pages:
        for kind in WAYS.values():
            result = asyncio.run(drawn(kind, small_model.url, page.text, page.field))
            assert result.record.found == (), (page.field.name, result.record.found)
            if result.state == "drawn":
                claims = [parse_answer(one.answers[-1], [page.field]) for one in result.exchanges]
                claimed += sum(map(len, claims))
                assert [one.mode for one in result.exchanges] == ["json_schema"] * len(claims)
            else:
                assert result.reason == "llm_length", result.says
    assert claimed > 0, "a model that says nothing shows nothing"


def test_small_model_instructions_on_page_change_nothing(small_model: SmallModel) -> None:
    cases = [*injected("injections.txt")][::50]
    assert len(cases) == 2
    for case in cases:
        clean, ordered = (
            asyncio.run(drawn(ModelClient, small_model.url, body, case.field)) for body in (case.clean, case.body)
        )
        assert values_of(ordered.record, [case.field]) == values_of(clean.record, [case.field])
        assert len(ordered.withheld) == 1 and case.order not in str(ordered.exchanges)
