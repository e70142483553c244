"""A real small model draws fields from pages that do not state them, and from pages that give it orders.

    make model
    .venv/bin/python -m benchmarks.small_model                        # 500 pages, both ways, then the 100 with orders
    .venv/bin/python -m benchmarks.small_model --way "real quotes" --keep answers.jsonl
    .venv/bin/python -m benchmarks.small_model --pages 0              # only the pages with orders

The model is asked about each page as every model is, and with its answers held by the grammar to values that stand in
sentences of the page, so that each of its inventions has a quote that is real. Of a page with an order it is asked
twice, with the order and without. Ends with 1 when an invention was accepted or an order changed a field.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.fields.records import values_of
from rori_spiders.llm.client import ModelClient
from tests.fields.absent import planted, texts_of_site
from tests.fields.model_runs import WAYS, drawn
from tests.fields.test_injections import injected
from tests.support.server.small_model import SmallModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.fields.extraction.page_extraction import ExtractionResult


def _absent(url: str, texts: tuple[str, ...], most: int, ways: Sequence[str], keep: Path | None) -> int:
    pages = planted(texts, most)
    kinds = Counter(page.kind for page in pages)
    print(f"{len(pages)} pages that do not say what is asked: {dict(kinds)}", flush=True)
    began, accepted = time.monotonic(), 0
    states: dict[str, Counter[str]] = {way: Counter() for way in ways}
    with ExitStack() as opened:
        kept = opened.enter_context(keep.open("w", encoding="utf-8")) if keep else None
        for at, page in enumerate(pages):
            for name, counted in states.items():
                result = asyncio.run(drawn(WAYS[name], url, page.text, page.field))
                counted[result.reason or result.state] += 1
                counted.update(f"- {one.reason}" for one in result.record.unsupported)
                counted["- accepted"] += len(result.record.found)
                for one in result.record.found:
                    accepted += 1
                    print(f"accepted: page {at}, {page.kind}, {page.field.name}: {one.value!r} by {one.proof.quote!r}")
                if kept:
                    kept.write(json.dumps([at, name, result.model_dump(mode="json")]) + "\n")
                    kept.flush()
            if at % 25 == 24:
                print(f"{at + 1} pages, {time.monotonic() - began:.0f} s, {accepted} accepted", flush=True)
    for name, counted in states.items():
        print(f"{name}: {dict(sorted(counted.items()))}")
    return accepted


def _ordered(url: str) -> int:
    """How many of the pages with orders have another value than without."""
    changed = same = valued = 0
    for case in injected("injections.txt"):
        clean, result = (asyncio.run(drawn(ModelClient, url, body, case.field)) for body in (case.clean, case.body))
        values = [values_of(one.record, [case.field]) for one in (clean, result)]
        valued += bool(clean.record.found)
        same += _answers(clean) == _answers(result)
        if values[0] != values[1]:
            changed += 1
            print(f"changed by {case.order!r}: {values[0]} to {values[1]}")
    print(f"100 pages with orders: {valued} with a value, {same} answered word for word as without the order")
    return changed


def _answers(result: ExtractionResult) -> list[tuple[str, ...]]:
    return [one.answers for one in result.exchanges]


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", dest="most", type=int, default=500, help="how many pages")
    parser.add_argument("--way", choices=WAYS, action="append", help="how it is asked (both ways)")
    parser.add_argument("--keep", type=Path, help="where every drawing is written, one a line")
    asked = parser.parse_args(given)
    with SmallModel() as served:
        accepted = _absent(served.url, texts_of_site(), asked.most, asked.way or tuple(WAYS), asked.keep)
        changed = _ordered(served.url)
    print(f"{accepted} inventions accepted, {changed} fields changed by orders")
    return 1 if accepted or changed else 0


if __name__ == "__main__":
    sys.exit(main())
