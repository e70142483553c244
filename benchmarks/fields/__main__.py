"""Measure field extraction: pages with known values, a model that is honest, lies, misquotes, obeys orders, stammers.

.venv/bin/python -m benchmarks.fields                       # pages by construction, ours alone
.venv/bin/python -m benchmarks.fields --seed 8 --show lying # each false value that was accepted, of the open half
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.fields.constructed import HALVES, constructed_samples
from benchmarks.fields.hand import hand_samples
from benchmarks.fields.model import BEHAVIOURS, LIES, StandInModel
from benchmarks.fields.orders import plant_order
from benchmarks.fields.samples import Score, comparable, score_field
from benchmarks.rivals.environments import make_environment
from rori_spiders.content.convert import convert
from rori_spiders.fields.extraction.page_extraction import extract
from rori_spiders.fields.grounding.page import Page
from rori_spiders.fields.schema import item_schema
from rori_spiders.llm.client import ModelClient
from rori_spiders.llm.keys import KeyRotator
from rori_spiders.llm.model import Model
from tests.support.model_budget import UnlimitedBudget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.fields.samples import Sample
    from rori_spiders.fields.records import UngroundedValue
    from rori_spiders.manifest.models import FieldDefinition

OURS = "rori"
_RIVALS = Path(__file__).parents[1] / "rivals"
_PACKAGES = {"crawl4ai": ("crawl4ai",), "langextract": ("langextract[openai]",)}
#: By page: the values that were accepted for each field; and the answers that were rejected.
Accepted = dict[str, dict[str, list[Any]]]
Rejected = dict[str, "tuple[UngroundedValue, ...]"]


async def _extract_all(samples: Sequence[Sample], server: StandInModel, behaviour: str) -> tuple[Accepted, Rejected]:
    """What ours accepts and rejects, one page after the other."""
    accepted: Accepted = {}
    rejected: Rejected = {}
    for sample in samples:
        model = Model(server.url("ours", sample, behaviour), "stand-in")
        async with ModelClient(model, KeyRotator(("none",)), UnlimitedBudget()) as client:
            result = await extract(Page(_markdown(sample), sample.url, _title(sample)), sample.fields, client)
        values: dict[str, list[Any]] = defaultdict(list)
        for one in result.record.found:
            values[one.field].append(one.value)
        accepted[sample.name] = values
        rejected[sample.name] = result.record.unsupported
    return accepted, rejected


def _title(sample: Sample) -> str | None:
    return convert(sample.html.encode(), url=sample.url, content_type="text/html").title


def _markdown(sample: Sample) -> str:
    return convert(sample.html.encode(), url=sample.url, content_type="text/html").markdown


def _ask_rival(
    name: str, samples: Mapping[str, Sequence[Sample]], server: StandInModel
) -> dict[tuple[str, str], Accepted]:
    """What another tool accepts from each model; some give two results, each under its name."""
    python, versions = make_environment(f"{name}_fields", _PACKAGES[name])
    print(f"{versions}", flush=True)
    markdown = {sample.name: _markdown(sample) for shown in samples.values() for sample in shown}
    tasks = [
        {
            "key": f"{behaviour} {sample.name}",
            "base_url": server.url(name, sample, behaviour),
            "model": "stand-in",
            "html": sample.html,
            "markdown": markdown[sample.name],
            "fields": [
                {"name": one.name, "type": one.type, "description": one.description, "schema": _schema(one)}
                for one in sample.fields
            ],
        }
        for behaviour, shown in samples.items()
        for sample in shown
    ]
    command = [str(python), str(_RIVALS / f"{name}_fields.py")]
    done = subprocess.run(command, input=json.dumps(tasks), stdout=subprocess.PIPE, text=True, check=True)
    results: dict[tuple[str, str], Accepted] = {}
    for tool, extracted in json.loads(done.stdout).items():
        for key, values in extracted.items():
            behaviour, _, sample_name = key.partition(" ")
            results.setdefault((behaviour, tool), {})[sample_name] = values
    return results


def _schema(field: FieldDefinition) -> dict[str, Any]:
    return {"type": "array", "items": item_schema(field)} if field.is_list else item_schema(field)


def _score(samples: Sequence[Sample], accepted: Accepted, server: StandInModel, behaviour: str) -> Score:
    """Of the values that the page states, those count as missed which the model gave."""
    total = Score()
    for sample in samples:
        claimed = server.mind(sample, behaviour).right_values()
        for field in sample.fields:
            values = accepted.get(sample.name, {}).get(field.name, [])
            total = total.plus(score_field(sample, field.name, values, claimed[field.name]))
    return total


def _lies_accepted(
    samples: Sequence[Sample], accepted: Accepted, server: StandInModel
) -> tuple[Counter[str], Counter[str]]:
    """How many lies of each kind were told, and how many of them were accepted."""
    told: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for sample in samples:
        for claim in server.mind(sample, "lying").claims:
            if claim.lie is not None:
                told[claim.lie] += 1
                values = {comparable(one) for one in accepted.get(sample.name, {}).get(claim.field.name, [])}
                taken[claim.lie] += comparable(claim.value) in values
    return told, taken


def _print_table(
    samples: Mapping[str, Sequence[Sample]], results: Mapping[tuple[str, str], Accepted], server: StandInModel
) -> None:
    halves = HALVES
    print(f"| model | tool |{''.join(f' {half}: precision | recall | false values |' for half in halves)}")
    print(f"|{' --- |' * (2 + 3 * len(halves))}")
    for (behaviour, tool), accepted in results.items():
        cells = []
        for half in halves:
            of_half = [one for one in samples[behaviour] if one.half == half]
            score = _score(of_half, accepted, server, behaviour)
            cells += [f"{score.precision:.3f}", f"{score.recall:.3f}", str(score.false)]
        print(f"| {behaviour} | {tool} | {' | '.join(cells)} |")


def _print_lies(samples: Sequence[Sample], results: Mapping[tuple[str, str], Accepted], server: StandInModel) -> None:
    print(f"\n| lies accepted | {' | '.join(LIES)} |\n|{' --- |' * (1 + len(LIES))}")
    for (behaviour, tool), accepted in results.items():
        if behaviour == "lying":
            told, taken = _lies_accepted(samples, accepted, server)
            print(f"| {tool} | {' | '.join(f'{taken[lie]} of {told[lie]}' for lie in LIES)} |")


def _print_losses(samples: Sequence[Sample], accepted: Accepted, rejected: Rejected) -> None:
    """Why right values were rejected, by half."""
    for half in HALVES:
        reasons: Counter[str] = Counter()
        for sample in (one for one in samples if one.half == half):
            for field in sample.fields:
                true = {comparable(one.value) for one in sample.stated.get(field.name, ())}
                lost = true - {comparable(one) for one in accepted[sample.name].get(field.name, [])}
                named = {comparable(one.value): one.reason for one in rejected[sample.name] if one.field == field.name}
                reasons.update(named[value] for value in lost if value in named)
        print(f"right values that {OURS} rejected, {half}: {dict(reasons.most_common())}")


def _show(samples: Sequence[Sample], accepted: Accepted, rejected: Rejected) -> None:
    """Print what went wrong on pages of the open half: accepted and false, or right and rejected."""
    for sample in samples:
        for field in sample.fields:
            stated = sample.stated.get(field.name, ())
            true = {comparable(one.value) for one in stated}
            got = accepted[sample.name].get(field.name, [])
            for value in got:
                if comparable(value) not in true:
                    print(f"FALSE {sample.name} {field.name}: {value!r}, stated: {[one.value for one in stated]}")
            for one in rejected[sample.name]:
                if one.field == field.name and comparable(one.value) in true - {comparable(value) for value in got}:
                    print(f"LOST {sample.name} {field.name}: {one.value!r}: {one.reason}: {one.says}: {one.quote!r}")
            missing = true - {comparable(one) for one in got}
            missing -= {comparable(one.value) for one in rejected[sample.name] if one.field == field.name}
            if missing:
                print(f"NEVER CLAIMED {sample.name} {field.name}: {missing}: {[one.quote for one in stated]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask about every page, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--pages", type=int, default=9, help="pages of each of the eight families")
    parser.add_argument("--show", choices=BEHAVIOURS, help="what went wrong on pages of the open half, of this model")
    hand_help = "real pages with values read off by hand instead; the folder where real-pages and more-pages are"
    parser.add_argument("--hand", type=Path, metavar="FOLDER", help=hand_help)
    parser.add_argument("--rivals", nargs="*", choices=_PACKAGES, default=[], help="other tools to measure beside it")
    opts = parser.parse_args(arguments)
    pages = constructed_samples(opts.seed, opts.pages)
    if opts.hand:
        pages = hand_samples(opts.hand)
    samples: dict[str, Sequence[Sample]] = dict.fromkeys([opts.show] if opts.show else BEHAVIOURS, pages)
    if "obeying" in samples:
        samples["obeying"] = [plant_order(one, opts.seed) for one in pages]
    results: dict[tuple[str, str], Accepted] = {}
    with StandInModel(opts.seed) as server:
        for behaviour, shown in samples.items():
            accepted, rejected = asyncio.run(_extract_all(shown, server, behaviour))
            results[behaviour, OURS] = accepted
            if behaviour == "honest":
                _print_losses(shown, accepted, rejected)
            if opts.show:
                _show([one for one in shown if one.half == HALVES[0]], accepted, rejected)
        for rival in opts.rivals:
            results |= _ask_rival(rival, samples, server)
        results = {key: results[key] for key in sorted(results, key=lambda key: BEHAVIOURS.index(key[0]))}
        values = sum(len(many) for one in pages for many in one.stated.values())
        fields = sum(len(one.fields) for one in pages)
        print(f"{len(pages)} pages, {fields} fields, {values} values, seed {opts.seed}\n")
        _print_table(samples, results, server)
        _print_lies(pages, results, server)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
