"""Pages that are made to hurt, each in a process of its own: `python -m benchmarks.content_pathological [WORD ...]`.

Prints what became of each page, the seconds of CPU and of the clock, and the most memory of the process (MiB, Python
and all libraries included). Exit code 1 when one page raised anything but a ConversionError, took more than 10 s of
CPU, or more than 512 MiB. A word picks the pages whose name holds it.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.convert import convert
from rori_spiders.exceptions import ConversionError
from tests.content import hostile

if TYPE_CHECKING:
    from collections.abc import Callable

_MB = 1_000_000
_MOST_SECONDS, _MOST_MIB = 10, 512


def items(size: int) -> bytes:
    """Items of lists in lists, seven levels deep, as a statute's paragraphs."""
    level = "<ol><li>paragraph of a statute" * 7 + "</ol>" * 7
    return hostile.html(hostile.filled(level, size))


def entities(size: int) -> bytes:
    """Entities of entities: a kilobyte that would become a gigabyte."""
    made = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e0 "lol">{made}]><r>&e9;{" " * size}</r>'.encode()


#: Name -> what makes the body, and how many bytes.
PAGES: dict[str, tuple[Callable[[int], bytes], int]] = {
    "3,000 unclosed div": (hostile.MARKUP["div, deep"], 3000 * 5),
    "3,000 unclosed b": (hostile.MARKUP["b, deep"], 3000 * 3),
    "3,000 lists in lists": (hostile.MARKUP["ul><li, deep"], 3000 * 8),
    "3,000 tables in tables": (hostile.MARKUP["table><tr><td, deep"], 3000 * 15),
    "table of 5 MB": (hostile.TABLES["table"], 5 * _MB),
    "table of 5.9 MB, links and marks in each cell": (hostile.TABLES["marked table"], 5_900_000),
    "table of 6.9 MB, links and marks in each cell": (hostile.TABLES["marked table"], 6_900_000),
    "table of 6.9 MB, senseless spans": (hostile.TABLES["spans"], 6_900_000),
    "table of 200 columns, 5 MB": (hostile.TABLES["wide table"], 5 * _MB),
    "10,000 links": (hostile.MARKUP["links"], 10_000 * 45),
    "one line of 5 MB": (hostile.TEXTS["prose"], 5 * _MB),
    "one word of 5 MB": (hostile.TEXTS["word"], 5 * _MB),
    "50,000 items in lists": (items, 50_000 * 36),
    "entity bomb": (entities, 1000),
    "comments without end, 1 MB": (hostile.MARKUP["comments"], _MB),
    "emphasis without end, 1 MB": (hostile.TEXTS["emphasis, tight"], _MB),
}


class Weighed(NamedTuple):
    cpu: float
    clock: float
    mib: int
    became: str

    @property
    def is_within(self) -> bool:
        return self.cpu <= _MOST_SECONDS and self.mib <= _MOST_MIB and not self.became.startswith("RAISED")


def weigh(name: str) -> Weighed:
    """Convert one page; memory is the most that this process ever took."""
    make, size = PAGES[name]
    body = make(size)
    cpu, clock = time.process_time(), time.monotonic()
    try:
        became = f"{len(convert(body, url='https://www.example.org/page').markdown):,} characters"
    except ConversionError as error:
        became = f"refused: {str(error)[:80]}"
    except Exception as error:
        became = f"RAISED {type(error).__name__}: {error}"
    cpu, clock = time.process_time() - cpu, time.monotonic() - clock
    return Weighed(cpu, clock, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, became)


def main(words: list[str]) -> int:
    if not any(not words or any(word in name for word in words) for name in PAGES):
        print(f"no page's name holds {' or '.join(words)}; there are: {', '.join(PAGES)}", file=sys.stderr)
        return 2
    beyond = 0
    apart = multiprocessing.get_context("spawn")
    print(f"{'page':48} {'CPU':>6} {'clock':>6} {'MiB':>4}")
    for name in PAGES:
        if words and not any(word in name for word in words):
            continue
        with ProcessPoolExecutor(1, mp_context=apart) as pool:
            found = pool.submit(weigh, name).result()
        beyond += not found.is_within
        print(f"{name:48} {found.cpu:6.2f} {found.clock:6.2f} {found.mib:4}  {found.became}", flush=True)
    print("all within 10 s of CPU and 512 MiB" if not beyond else f"{beyond} beyond 10 s of CPU or 512 MiB")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
