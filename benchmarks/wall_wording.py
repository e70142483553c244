"""Fit the weights of `verdicts.wall_wording`: `python -m benchmarks.wall_wording BLOCKED PAGES... [--write]`.

Walls: the rows of `templates.walls`, `system_pages` and `new_dress`, and the captured refusals in BLOCKED. Others: the
innocent rows, and the short sections of the real PAGES. Printed is what the model alone, without any rule, suspects:
fitted on the development halves (of sections: on every other site), in the sealed ones; and fitted on all, as it is
written, in the rows of `new_dress` that were made later. Needs scikit-learn, in an environment of its own.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from benchmarks.reading import body_of
from benchmarks.templates import new_dress, system_pages, walls
from rori_spiders.content.convert import convert
from rori_spiders.exceptions import ConversionError
from rori_spiders.verdicts.wall_language import WORDING_SUSPECTED, read_main_text, shown_text
from rori_spiders.verdicts.wall_wording import pieces, probability

_FILE = Path(__file__).parents[1] / "rori_spiders" / "verdicts" / "wall_wording.json"
#: Stronger ties of the weights to 0 found fewer walls of the development half, weaker ones more sections.
_REGULARISATION = 0.3
_LEAST_WEIGHT = 0.02
_SECTION_CHARS = range(20, 600)
_MOST_SECTIONS = 40  # of a page


class Sample(NamedTuple):
    """One page: what it shows, and whether it is a wall. ``half``: development, sealed or later."""

    text: str
    is_wall: bool
    origin: str
    half: str


def template_samples() -> Iterator[Sample]:
    """The rows of the templates, each as a page with nothing around it."""
    for module in (walls, system_pages, new_dress):
        origin = module.__name__.rpartition(".")[2]
        for name, rows in vars(module).items():
            half, _, kind = name.lower().partition("_")
            if kind not in {"walls", "innocent"}:
                continue
            for row in rows:
                head = f"<head><title>{row.title}</title></head>"
                html = f"<html>{head}<body><main>{row.main}</main></body></html>" if row.title else row.main
                if text := text_shown(html.encode()):
                    yield Sample(text, kind == "walls", origin, half)


def refusal_samples(folder: Path) -> Iterator[Sample]:
    """The captured refusals in *folder*."""
    for file in sorted(folder.glob("*.html*")):
        if text := text_shown(body_of(file)):
            yield Sample(text, True, "captured", "development")


def section_samples(folders: Sequence[Path]) -> Iterator[Sample]:
    """The short sections of the pages in *folders*, by halves of their sites."""
    for file in sorted(file for folder in folders for file in folder.glob("*.html*")):
        half = "sealed" if crc32(file.name.partition("__")[0].encode()) % 2 else "development"
        try:
            markdown = convert(body_of(file), url="https://www.example.gov/", content_type="text/html").markdown
        except ConversionError:
            continue
        for section in re.split(r"\n(?=#)", markdown)[:_MOST_SECTIONS]:
            main = read_main_text(section, section.partition("\n")[0].lstrip("# "))
            if main is not None and main.own_chars in _SECTION_CHARS:
                yield Sample(shown_text(main), False, "section", half)


def text_shown(html: bytes) -> str | None:
    """What the rules on walls read of a page; None for one that they do not read."""
    try:
        converted = convert(html, url="https://www.example.gov/", content_type="text/html; charset=utf-8")
    except ConversionError:
        return None
    main = read_main_text(converted.markdown, converted.title)
    return None if main is None else shown_text(main)


class Model(NamedTuple):
    """The weights of the pieces that count."""

    bias: float
    weights: dict[str, float]

    @classmethod
    def fit(cls, samples: Sequence[Sample]) -> Model:
        """The model that tells the walls among *samples* from the others."""
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.linear_model import LogisticRegression

        counter = CountVectorizer(analyzer=pieces, min_df=3, binary=True)
        counts = counter.fit_transform([one.text for one in samples])
        fitted = LogisticRegression(C=_REGULARISATION, solver="liblinear", max_iter=3000)
        fitted.fit(counts, [one.is_wall for one in samples])
        weights = zip(counter.get_feature_names_out(), map(float, fitted.coef_[0]), strict=True)
        return cls(
            round(float(fitted.intercept_[0]), 3),
            {piece: round(weight, 3) for piece, weight in weights if abs(weight) >= _LEAST_WEIGHT},
        )

    def print_totals(self, samples: Sequence[Sample]) -> None:
        """How many of *samples*, by origin, it suspects."""
        for origin, is_wall in dict.fromkeys((one.origin, one.is_wall) for one in samples):
            texts = [one.text for one in samples if (one.origin, one.is_wall) == (origin, is_wall)]
            suspected = sum(probability(text, *self) >= WORDING_SUSPECTED for text in texts)
            print(f"  {origin} {'walls' if is_wall else 'others'}: {suspected} of {len(texts)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blocked", type=Path, metavar="BLOCKED")
    parser.add_argument("pages", type=Path, nargs="+", metavar="PAGES")
    parser.add_argument("--write", action="store_true", help=f"write {_FILE.name}")
    options = parser.parse_args()
    samples = [*template_samples(), *refusal_samples(options.blocked), *section_samples(options.pages)]
    print("Fitted on the development halves, sealed halves:")
    Model.fit([one for one in samples if one.half == "development"]).print_totals(
        [one for one in samples if one.half == "sealed"]
    )
    whole = Model.fit([one for one in samples if one.half != "later"])
    print(f"Fitted on both, {len(whole.weights)} pieces, rows that were made later:")
    whole.print_totals([one for one in samples if one.half == "later"])
    if options.write:
        _FILE.write_text(
            json.dumps(whole._asdict(), ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
