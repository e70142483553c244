"""Whether a reader of the monitor's list of changes meets what matters: eight weeks of history, nothing of it reviewed.

    .venv/bin/python -m benchmarks.change_inbox --keep /tmp/inbox                 # made once, then measured as it is
    .venv/bin/python -m benchmarks.change_inbox --keep /tmp/inbox --pictures /tmp/pictures
    .venv/bin/python -m benchmarks.change_inbox --keep /tmp/inbox --list     # what stands before, and is missed
    .venv/bin/python -m benchmarks.change_inbox --material real --keep /tmp/real     # edits of whole real pages
    .venv/bin/python -m benchmarks.change_inbox --material drawn --seed 7 --keep /tmp/drawn    # drawn by the seed
    .venv/bin/python -m benchmarks.change_inbox --material agencies --keep /tmp/agencies    # noise of agencies' sites
    .venv/bin/python -m benchmarks.change_inbox --material sites --keep /tmp/sites    # sites that go on, kinds, entries
    .venv/bin/python -m benchmarks.change_inbox --keep /tmp/inbox --again --score    # the same texts by rules of now

200 sources, 12,000 versions, noise (`benchmarks.change_history`). Reads the list in the order of the monitor's first
screen. Prints how many changes that do not matter are high and medium, by the half of their noise, and of what matters
the importance, how much stands in the first answer and in the first 50 entries (publications), in how many of them a
reader has met all of it, and how many changes that do not matter stand before its last one; then, from a monitor in a
process of its own, the 95th percentile of the API's answers in time of the processor; with pictures, what stands in the
first screen, the time until the list is there, the heights, and screenshots. Of the sealed half it prints totals only,
also with --list.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from contextlib import closing
from datetime import datetime
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from benchmarks import change_history
from benchmarks.monitor import asked, running, signed_in
from benchmarks.site_histories import SiteHistories
from rori_spiders.comparison.change_report import change_sentence
from rori_spiders.comparison.importance import Importance
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import change_records
from rori_spiders.ledger.pages.change_records import ChangeFilter
from rori_spiders.ledger.pages.vocabulary import OPEN
from rori_spiders.monitor.web import building
from rori_spiders.staging.store_factory import open_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from http.client import HTTPConnection

    from benchmarks.change_history import History
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.change_records import ChangeRow, RankedPosition

_TIMES = 30
_FIRST_ENTRIES = _FIRST_ANSWER = 50
_READ_TOGETHER = 5000
_MOST_MS = 200
_CHROMIUM = os.environ.get("RORI_CHROMIUM", "/usr/bin/chromium")
#: What the page asks for at `/`, before anybody chose a filter.
FIRST_LIST = {"review": "open", "order": "importance", "limit": "50"}
_SCREENS = {"changes": "/", "sources": "/sources", "search": "/search", "errors": "/errors"}


def _read_list(ledger: Ledger) -> list[ChangeRow]:
    """All changes that are open, as the monitor's first screen has them one after the other."""
    found: list[tuple[RankedPosition, ChangeRow]] = []
    with ledger.connect() as conn:
        while more := change_records.list_by_importance(
            conn, ChangeFilter(review=OPEN), after=found[-1][0] if found else None, limit=_READ_TOGETHER
        ):
            found += more
    return [change for _, change in found]


def _entries(items: Sequence[ChangeRow]) -> list[str]:
    """What a reader sees as one: a publication; the low changes of a site that stand alone are one, too."""
    above = {one.publication for one in items if one.importance > Importance.LOW}
    return [one.publication if one.publication in above else one.site for one in items]


def _place(change: ChangeRow) -> tuple[str, str]:
    return change.url, change.at.date().isoformat()


def _count_levels(found: Iterable[ChangeRow]) -> str:
    counts = Counter(one.importance for one in found)
    return ", ".join(f"{counts[level]:,} {level.word}" for level in reversed(Importance) if level)


def _noise_of(
    items: Sequence[ChangeRow], history: History | SiteHistories, wanted: set[tuple[str, str]]
) -> dict[str, list[ChangeRow]]:
    """What does not matter, by the half of the noise that was shown."""
    noise: dict[str, list[ChangeRow]] = {}
    for one in items:
        if _place(one) not in wanted:
            noise.setdefault(history.noise_shown.get(_place(one), "others"), []).append(one)
    return noise


def _print_reading(items: Sequence[ChangeRow], history: History | SiteHistories, *, listed: bool) -> None:
    at = {_place(one): place for place, one in enumerate(items)}
    entry_of, entries = _entries(items), dict[str, int]()
    for entry in entry_of:
        entries.setdefault(entry, len(entries))
    wanted = {(one.url, one.on.date().isoformat()) for one in history.matters}
    print(f"{len(items):,} open changes in {len(entries):,} entries, of which {len(history.matters)} matter")
    noise = _noise_of(items, history, wanted)
    for half, found in sorted(noise.items()):
        print(f"do not matter, {half:<12} {_count_levels(found)}")
    good = {entry for entry, one in zip(entry_of, items, strict=True) if _place(one) in wanted}
    idle = sum(entries[one] < _FIRST_ENTRIES for one in set(entry_of) - good)
    print(f"{idle} of the first {_FIRST_ENTRIES} entries have nothing that matters")
    for part in dict.fromkeys(one.part for one in history.matters):
        own = [one for one in history.matters if one.part == part]
        places = [at.get((one.url, one.on.date().isoformat())) for one in own]
        met = [place for place in places if place is not None]
        last = max(met, default=0)
        before = sum(_place(one) not in wanted for one in items[:last])
        shown = {entry_of[place] for place in met}
        early = sum(entries[entry_of[place]] < _FIRST_ENTRIES for place in met)
        print(
            f"{part:<12} {len(met)} of {len(own)} listed ({_count_levels(items[place] for place in met)}), "
            f"{early} in the first {_FIRST_ENTRIES} entries, {sum(place < _FIRST_ANSWER for place in met)} in the "
            f"first answer, last at {last + 1} (entry {max((entries[one] for one in shown), default=0) + 1}), "
            f"{before} that do not matter before it, {len(shown)} entries"
        )
        if listed and part != "sealed":
            for matter, place in zip(own, places, strict=True):
                what = "not listed" if place is None else _show(place, items[place])
                print(f"    {matter.name[:28]:<28} {what}")
    if isinstance(history, SiteHistories):
        _print_names(items, history, listed=listed)
    if listed:
        open_half = {(one.page_id, one.seq) for half in ("development", "others") for one in noise.get(half, ())}
        for place, one in enumerate(items):
            if (one.page_id, one.seq) in open_half and one.importance == Importance.HIGH:
                print(f"    {_show(place, one)}")


def _print_names(items: Sequence[ChangeRow], history: SiteHistories, *, listed: bool) -> None:
    """Of each half: which edits are named rightly, and which pairs of what matters stand in one entry, and should."""
    of = {_place(one): one for one in items}
    for half in change_history.PARTS:
        own = [
            (one, of[place], history.groups[place], history.kinds[place])
            for one in history.matters
            if one.part.endswith(half) and (place := (one.url, one.on.date().isoformat())) in of
        ]
        right = sum(change.kind == kind for _, change, _, kind in own)
        pairs = [
            (one[1].publication == other[1].publication, one[2] == other[2]) for one, other in combinations(own, 2)
        ]
        both, shown, true = (sum(map(test, pairs)) for test in (all, itemgetter(0), itemgetter(1)))
        print(f"{half:<12} {right} of {len(own)} named; pairs in one entry {shown}, rightly {both} of {true}")
        if listed and half != "sealed":
            for one, change, _, kind in own:
                if change.kind != kind:
                    print(f"    {one.name[:28]:<28} {kind}, called {change.kind}")


def _show(place: int, change: ChangeRow) -> str:
    return f"{place + 1:>5} {Importance(change.importance).word:<7} {change_sentence(change)[:110]}"


def _print_times(connection: HTTPConnection, pid: int, token: str) -> float:
    """The slowest 95th percentile, in milliseconds of the processor: those of the clock are the machine's, too."""
    paths = [
        f"/api/v1/changes?{urlencode(FIRST_LIST)}",
        f"/api/v1/changes?{urlencode({**FIRST_LIST, 'limit': '200'})}",
        "/api/v1/changes",
        "/api/v1/changes?importance=high&review=open",
        "/api/v1/changes/summary",
        "/api/v1/sources",
        "/api/v1/alerts",
        "/api/v1/changes?q=guide",
    ]
    worst = 0.0
    for path in paths:
        clock, processor = zip(*(asked(connection, pid, path, token) for _ in range(_TIMES)), strict=True)
        p95 = quantiles(processor, n=20)[-1]
        worst = max(worst, p95)
        print(f"{path:<60} median {median(clock):7.1f} ms, processor {median(processor):6.1f} ms, p95 {p95:6.1f} ms")
    return worst


def _take_pictures(address: str, token: str, folder: Path, wanted: set[str]) -> None:
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    building.page()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, chromium_sandbox=os.geteuid() != 0)
        for width, tall in ((1440, 900), (390, 844)):
            context = browser.new_context(base_url=address, viewport={"width": width, "height": tall})
            context.add_cookies([{"name": "rori-session", "value": token, "url": address}])
            page = context.new_page()
            took = []
            for _ in range(10):
                began = perf_counter()
                page.goto("/", wait_until="commit")
                page.locator("[data-entry]").first.wait_for()
                took.append(perf_counter() - began)
            shown = page.evaluate(
                "[...document.querySelectorAll('[data-entry]')].filter(one => one.firstElementChild"
                ".getBoundingClientRect().bottom <= innerHeight).map(one => one.dataset.entry)"
            )
            print(f"{width} px: first screen {len(shown)} changes, {len(wanted.intersection(shown))} that matter")
            print(f"{width} px: list there after median {median(took):.2f} s, slowest {max(took):.2f} s")
            for name, path in _SCREENS.items():
                page.goto(path, wait_until="networkidle")
                height = page.evaluate("document.documentElement.scrollHeight")
                print(f"{width} px: {name} {height} px long, {height / tall:.1f} screens")
                page.screenshot(path=folder / f"{name}-{width}.png")
                page.screenshot(path=folder / f"{name}-{width}-whole.png", full_page=True)
            context.close()
        browser.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="folder of the ledger and its texts")
    parser.add_argument(
        "--material",
        choices=("made", "real", "boards", "drawn", "agencies", "sites"),
        default="made",
        help="which edits and noise",
    )
    parser.add_argument("--seed", type=int, default=change_history.SEED, help="of the history (default: %(default)s)")
    parser.add_argument("--pictures", type=Path, help="folder of screenshots")
    parser.add_argument("--list", action="store_true", dest="listed")
    parser.add_argument("--score", action="store_true", help="no more than the totals: no monitor is started")
    parser.add_argument("--again", action="store_true", help="describe what --keep has by the rules of now")
    opts = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        closing(open_ledger(str((opts.keep or Path(name)) / "ledger.db"))) as ledger,
    ):
        return _measure(opts, ledger, opts.keep or Path(name))


def _measure(opts: argparse.Namespace, ledger: Ledger, folder: Path) -> int:
    store, manifest, truth = open_store(folder / "staged"), folder / "sources.json", folder / "matters.json"
    history = change_history.replay(opts.material, opts.seed)
    matters = json.dumps(history.matters, default=datetime.isoformat)
    if not truth.exists():
        change_history.fill(ledger, store, manifest, material=opts.material, seed=opts.seed)
        truth.write_text(matters, encoding="utf-8")
    elif truth.read_text("utf-8") != matters:
        raise SystemExit(f"{folder} was made with another --material or --seed")
    elif opts.again:
        change_history.describe(ledger, store, manifest)
    items = _read_list(ledger)
    _print_reading(items, history, listed=opts.listed)
    if opts.score:
        return 0
    token = signed_in(ledger)
    with running(str(folder / "ledger.db"), folder) as (connection, pid):
        worst = _print_times(connection, pid, token)
        if opts.pictures:
            days = {(one.url, one.on.date().isoformat()) for one in history.matters}
            wanted = {one.change_id for one in items if _place(one) in days}
            _take_pictures(f"http://{connection.host}:{connection.port}", token, opts.pictures, wanted)
    return int(worst > _MOST_MS)


if __name__ == "__main__":
    sys.exit(main())
