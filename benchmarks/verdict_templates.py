"""Verdicts on pages made by template: `python -m benchmarks.verdict_templates [--sealed]`.

Each wall and each innocent page of `templates.walls` stands in each shell of its half. Walls: the share that is not
content, and of the right kind. Innocent pages: the share that is called anything but content, or held for a person.
``--systems``: those of `templates.system_pages` instead; a wall without a title is a body by itself, in no shell.
``--new-dress``: those of `templates.new_dress`. The weights of `verdicts.wall_wording` were fitted on both halves of
all; the rows of ``--later`` are unseen by them, too. ``-v`` names the pages of the development half; of the sealed half
only totals are printed.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from benchmarks.templates import new_dress, shells, system_pages, walls
from rori_spiders.content.options import DEFAULTS
from rori_spiders.workers.assessment import assess_response

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.templates.shells import Shell
    from benchmarks.templates.walls import Row
    from rori_spiders.verdicts import Verdict

URL = "https://www.example.gov/rules/1026"


def judged(html: str) -> Verdict:
    """The verdict of a worker on a page that came with status 200."""
    headers = {"Content-Type": "text/html; charset=utf-8"}
    body = html.encode()
    return assess_response(
        status=200, url=URL, headers=headers, body=body, known=None, is_measured=True, options=DEFAULTS
    ).verdict


def score(
    rows: Sequence[Row], around: Sequence[Callable[[str, str], Shell]], *, is_shown: bool
) -> tuple[int, int, int, int]:
    """Pages, those that are not content, those of the right kind, those that are held for a person."""
    pages = detected = right = doubted = 0
    for row in rows:
        for shell in around if row.title else around[-1:]:
            verdict = judged(shell(row.title, row.main).html if row.title else row.main)
            pages += 1
            held = verdict.is_doubtful
            detected += not verdict.is_content and not held
            doubted += held
            right += verdict.kind == (row.kind or "content")
            if is_shown and (verdict.is_content != (not row.kind) or held):
                print(f"{row.kind or 'content'}: {row.title} in {shell.__name__}: {verdict.kind} {verdict.rules}")
    return pages, detected, right, doubted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("--systems", action="store_true", help="what systems say when they show no page")
    parser.add_argument(
        "--new-dress", action="store_true", help="an eighth set: walls in words that no rule was made on"
    )
    parser.add_argument("--later", action="store_true", help="the eighth set's rows of a later day, totals only")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    pages_of = system_pages if options.systems else new_dress if options.new_dress else walls
    half = (
        (pages_of.SEALED_WALLS, pages_of.SEALED_INNOCENT, shells.SEALED)
        if options.sealed
        else (pages_of.DEVELOPMENT_WALLS, pages_of.DEVELOPMENT_INNOCENT, shells.DEVELOPMENT)
    )
    if options.later:
        half = new_dress.LATER_WALLS, new_dress.LATER_INNOCENT, shells.SEALED
    is_shown = options.verbose and not (options.sealed or options.later)
    pages, detected, right, doubted = score(half[0], half[2], is_shown=is_shown)
    print(f"{pages} walls: {detected} detected ({detected / pages:.3f}), {right} of the right kind, {doubted} held")
    pages, detected, _, doubted = score(half[1], half[2], is_shown=is_shown)
    print(f"{pages} innocent pages: {detected} false alarms ({detected / pages:.3f}), {doubted} held")


if __name__ == "__main__":
    main()
