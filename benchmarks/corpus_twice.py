"""A site of real pages through all states of a corpus twice, with edits, removals, overrides; with and without a model.

    .venv/bin/python -m benchmarks.corpus_twice                   # 200 addresses with the pages of this repository
    .venv/bin/python -m benchmarks.corpus_twice --pages FOLDER    # with those of FOLDER, .html and .html.gz, first
    .venv/bin/python -m benchmarks.corpus_twice --pages FOLDER --count 50 --model none

The site is served on a loopback address and collected; `scrapy corpus` does the rest. What must come out is computed
from the edits alone. Ends with an AssertionError at the first version, tombstone, file or document of the index that
is otherwise. Then the same with a model that cleans honestly (its calls to action are gone, all else is the same), and
with one that lies about every text (nothing is otherwise).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tests.corpus.two_rounds.driver import Drive
from tests.corpus.two_rounds.material import materials
from tests.corpus.two_rounds.models import ANSWERS, served, without_demo
from tests.corpus.two_rounds.rounds import drive_twice
from tests.support.server.fixtures import next_address
from tests.support.server.site import Site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.corpus.two_rounds.material import Material

_MODELS = ("none", *ANSWERS)


def main() -> None:
    """Drive them; print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, metavar="FOLDER", action="append", default=[])
    parser.add_argument("--count", type=int, default=200, metavar="N")
    parser.add_argument("--model", choices=_MODELS, action="append", help="only this (default: each of them)")
    given = parser.parse_args()
    found = materials(given.pages, given.count)
    print(f"{given.count} addresses with {len(found)} real pages", flush=True)
    plain: list[dict[str, str]] | None = None
    for model in given.model or _MODELS:
        told = _driven(model, found, given.count)
        if model == "none":
            plain = told
        elif plain is not None:
            _differs_as_it_should(model, plain, told)


def _driven(model: str, found: Sequence[Material], count: int) -> list[dict[str, str]]:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        site = opened.enter_context(Site(next_address()))
        chat, env = opened.enter_context(served(next_address(), ANSWERS[model])) if model in ANSWERS else (None, {})
        drive = Drive(Path(folder), site, found, env)
        texts = drive_twice(drive, count, report=lambda said: print(f"model {model}: {said}", flush=True))
        for path, codes in drive.refused.items():
            print(f"model {model}: excluded by the operator, a gate is shut: {path}: {', '.join(codes)}")
        asked = f", {len(chat.requests)} questions" if chat else ""
        took = time.monotonic() - began
        print(f"model {model}: {drive.overruled} pages taken in against the rules{asked}; {took:.0f} s", flush=True)
    return texts


def _differs_as_it_should(model: str, plain: list[dict[str, str]], told: list[dict[str, str]]) -> None:
    changed = 0
    for before, after in zip(plain, told, strict=True):
        assert set(before) == set(after), set(before) ^ set(after)
        for path, text in before.items():
            wanted = without_demo(text) if model == "honest" else text
            assert after[path].split() == wanted.split(), f"{path} is otherwise with the model that is {model}"
            changed += after[path] != text
    print(f"model {model}: {changed} texts in {len(told)} versions are otherwise than without, each as it should be")


if __name__ == "__main__":
    main()
