"""CPU of `.markdown` and `.title` beside that of the libraries alone: `python -m benchmarks.content_speed FOLDER...`.

The libraries: readability's ``Document(text).title()`` and ``.summary()``, markdownify of the summary. The same pages,
one after the other, in one process; pages that the libraries cannot read are left out of both.
"""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

from markdownify import markdownify
from readability import Document
from readability.readability import Unparseable

from benchmarks.reading import body_of
from rori_spiders.content.convert import convert
from rori_spiders.content.encoding import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def libraries(body: bytes) -> None:
    document = Document(decode(body).text)
    document.title()
    markdownify(document.summary())


def ours(body: bytes) -> None:
    page = convert(body, url="https://www.example.org/page")
    assert page.markdown and (page.title is None or page.title)


def seconds(work: Callable[[bytes], None], body: bytes) -> float:
    start = time.process_time()
    work(body)
    return time.process_time() - start


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.content_speed", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--every", type=int, default=1, help="of the pages every so manieth")
    given = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    totals, pages, left_out = [0.0, 0.0], 0, 0
    for folder in given.folders:
        for path in sorted([*folder.glob("*.html"), *folder.glob("*.html.gz")])[:: given.every]:
            if ".expected." in path.name:
                continue
            body = body_of(path)
            try:
                theirs = seconds(libraries, body)
            except (Unparseable, ValueError, RecursionError):
                left_out += 1
                continue
            totals = [totals[0] + seconds(ours, body), totals[1] + theirs]
            pages += 1
    if not pages:
        parser.error(f"no *.html or *.html.gz that can be read in {', '.join(map(str, given.folders))}")
    print(f"{pages} pages ({left_out} left out): {totals[0]:.2f} s to {totals[1]:.2f} s, {totals[0] / totals[1]:.3f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
