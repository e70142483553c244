"""No regular expression of the package takes time that grows with the square of a text: one page could stop a job.

Each gets texts made of its own repeats, twice and four times as long. What is measured is the CPU time of this thread;
what is judged is its growth, not its speed: of a linear pattern it doubles with the length, of a quadratic one it is
fourfold.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.house.regular_expressions import Expression

if TYPE_CHECKING:
    from collections.abc import Callable

LENGTH = 1_000  # characters, and twice and four times that
MAX_GROWTH = 3.0  # between a text and one twice as long
#: Seconds of CPU. What four times the length takes less than is not slow, and its growth is noise.
MEASURABLE = 0.003
#: A text of 30 characters that takes more is one of which each further character doubles the time.
EXPLODED = 0.05


#: Modules whose patterns get short texts alone, and what bounds these.
SHORT_TEXTS = {
    "content/documents/excel/number_formats.py": "a number format has 255 characters at most (_LONGEST_CODE)",
    "content/html/volatile.py": "a line has 160 characters at most (LINE_CHARS)",
    "corpus/runs/page_map.py": "the path of a URL",
    "crawl/tiers/official/ecfr.py": "the path of a URL",
    "crawl/tiers/order.py": "a host name, and the path of a URL; matched at their beginning",
    "content/citations/target_urls.py": "a citation in our own words, matched at its beginning",
    "crawl/walkers/page_links.py": "the first 64 KiB of a page (_HEAD_BYTES)",
    "fields/prompt_injection/heuristics.py": "pieces of 300 characters (_MAX_PIECE_CHARS)",
    "fields/prompt_injection/patterns.py": "pieces of 300 characters (_MAX_PIECE_CHARS)",
    "ledger/migrations/versions/0020_reason_codes.py": "a reason in our own words, once",
    "ledger/migrations/versions/0021_run_reason_codes.py": "a reason in our own words, once",
    "runtime/redaction.py": "names and values of environment variables",
    "urls/crawler_traps.py": "a URL",
}
#: Beginnings of patterns that grow with the square, on texts that nothing bounds: each is a defect to mend.
UNMENDED = {
    "content/encoding.py": ["<meta[^>]{1,2000}?"],
    "content/html/controls.py": [r"\w\s.*\b(?:is|are"],
    "content/html/main_content/binding_terms.py": [r"\b(?:effective|due|dead"],
    "content/html/main_content/table_of_contents.py": [r"\s*(?P<first>"],
    "content/html/tree.py": ["<(script|style|textarea)", "<(/?)([a-zA-Z]"],
    "content/markdown/lists.py": ["list-style(?:-type)?"],
    "content/metadata/dates.py": ["(?:last|page|content|date)", "(?:.*[|"],
    "corpus/auditing/page_checks.py": ["(?:your |full |first "],
    "corpus/cleaning/blocks.py": [r"(?m)^\s*(?:[-*+]\s+|"],
    "crawl/tiers/mediawiki/html_pages.py": [r"<link\s[^>]*\b", '<div class="redirectMsg">.', '"wgCategories"'],
    "crawl/walkers/official_lists.py": ["<[^>]*>"],
    "fields/grounding/quantities.py": [r"\(\d{1,3}\)(?=", r"(?: ?\([\d,.]+\))?", r"(?<![\d.,])\d{1,3}(?: "],
    "manifest/manifest_text.py": ['"(?:[^"', r"\[\n([^"],
}


def is_measured(one: Expression) -> bool:
    """Whether the growth of *one* matters, and is not known."""
    modules = [place.removeprefix("rori_spiders/") for place in one.where.split(", ")]
    known = tuple(beginning for module in modules for beginning in UNMENDED.get(module, ()))
    return not one.pattern.startswith(known) and not all(module in SHORT_TEXTS for module in modules)


def find_in_own_process() -> list[Expression]:
    command = [sys.executable, "-W", "ignore", "-m", "tests.house.regular_expressions"]
    found = subprocess.run(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, check=True).stdout
    return [Expression(**{**one, "methods": tuple(one["methods"])}) for one in json.loads(found)]


def seconds(run: Callable[[Any], Any], text: str | bytes, times: int = 1) -> float:
    taken = []
    for _ in range(times):
        began = time.thread_time()
        run(text)
        taken.append(time.thread_time() - began)
    return min(taken)


def slowest_growth(one: Expression) -> tuple[float, str | bytes] | None:
    """How much longer the double text takes, and that text, for the first attack that grows too fast."""
    run = one.run()
    for length in (30, LENGTH // 2):
        for text in one.attacks(length):
            if seconds(run, text) > EXPLODED:
                return float("inf"), text
    for double, fourfold in zip(one.attacks(2 * LENGTH), one.attacks(4 * LENGTH), strict=True):
        if seconds(run, fourfold) > MEASURABLE:
            growth = seconds(run, fourfold, 3) / seconds(run, double, 3)
            if growth > MAX_GROWTH:
                return growth, double
    return None


@pytest.mark.timeout(600)  # ten seconds of CPU, on a machine that others use, too
def test_regular_expressions_time_grows_with_length_not_its_square() -> None:
    expressions = find_in_own_process()
    assert len(expressions) > 400, "they were found"
    gone = [
        (module, beginning)
        for module, beginnings in UNMENDED.items()
        for beginning in beginnings
        if not any(module in one.where and one.pattern.startswith(beginning) for one in expressions)
    ]
    assert not gone, "their patterns are mended or changed: remove them from UNMENDED"
    slow = [(one, *found) for one in filter(is_measured, expressions) if (found := slowest_growth(one))]
    assert not slow, "\n".join(
        f"{growth:.1f}x {one.where} {'/'.join(one.methods)}: {one.pattern[:120]!r} on {text[:30]!r}..."
        for one, growth, text in slow
    )


@pytest.mark.parametrize(
    ("pattern", "grows"),
    [(r"\s+$", True), (r"(?<!\s)\s+$", False), (r"(a|aa)+$", True), (r"<[^>]*>", True), (r"<[^<>]*>", False)],
)
def test_slowest_growth_knows_slow_patterns(pattern: str, grows: bool) -> None:
    found = slowest_growth(Expression(pattern, 0, binary=False, where="here", methods=("sub",)))
    assert (found is not None) == grows
