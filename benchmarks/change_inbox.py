"""Whether a reader of the monitor's list of changes meets what matters: eight weeks of history, nothing of it reviewed.

    .venv/bin/python -m benchmarks.change_inbox --keep /tmp/inbox                 # made once, then measured as it is
    .venv/bin/python -m benchmarks.change_inbox --keep /tmp/inbox --pictures /tmp/pictures
    .venv/bin/python -m benchmarks.change_inbox --keep /tmp/inbox --list     # what stands before, and is missed
    .venv/bin/python -m benchmarks.change_inbox --material real --keep /tmp/real     # edits of whole real pages
    .venv/bin/python -m benchmarks.change_inbox --material drawn --seed 7 --keep /tmp/drawn    # drawn by the seed
    .venv/bin/python -m benchmarks.change_inbox --material agencies --keep /tmp/agencies    # noise of agencies' sites

200 sources, 12,000 versions, noise (`benchmarks.change_history`). Reads the list as the page does, from a monitor in a
process of its own. Prints of what matters how much stands in the first answer and in the first 50 entries
(publications), in how many of them a reader has met all of it, and how many changes that do not matter stand before its
last one; the entries of the rule in 14 sections and of a line that changed on all pages of a site; the 95th percentile
of the API's answers in time of the processor; with pictures, what stands in the first screen, the time until the list
is there, the heights, and screenshots. Of the sealed half it prints totals only, also with --list.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from benchmarks import change_history
from benchmarks.change_history import Matter
from benchmarks.monitor import asked, running, signed_in
from rori_spiders.ledger.database import open_ledger
from rori_spiders.monitor.web import building
from rori_spiders.staging.store_factory import open_store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from http.client import HTTPConnection

_TIMES = 30
_FIRST_ENTRIES = 50
_MOST_MS = 200
_CHROMIUM = os.environ.get("RORI_CHROMIUM", "/usr/bin/chromium")
#: What the page asks for at `/`, before anybody chose a filter.
FIRST_LIST = {"review": "open", "order": "importance", "limit": "50"}
_SCREENS = {"changes": "/", "sources": "/sources", "search": "/search", "errors": "/errors"}


def _read_list(connection: HTTPConnection, token: str) -> tuple[list[dict[str, Any]], int]:
    """The whole list in its order, and how many changes the first answer has."""
    items: list[dict[str, Any]] = []
    first, query = 0, {**FIRST_LIST, "limit": "200"}
    while True:
        answer = _ask(connection, token, f"/api/v1/changes?{urlencode(query)}")
        items += answer["items"]
        first = first or len(_ask(connection, token, f"/api/v1/changes?{urlencode(FIRST_LIST)}")["items"])
        if not answer["next"]:
            return items, first
        query["after"] = answer["next"]


def _ask(connection: HTTPConnection, token: str, path: str) -> Any:
    connection.request("GET", path, headers={"Cookie": f"rori-session={token}"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {body[:300]!r}")
    return json.loads(body)


def _entries(items: Sequence[dict[str, Any]]) -> list[str]:
    """What a reader sees as one: a publication; the low changes of a site that stand alone are one, too."""
    above = {one["publication"] for one in items if one["importance"] != "low"}
    return [one["publication"] if one["publication"] in above else one["site"] for one in items]


def _print_reading(items: Sequence[dict[str, Any]], first: int, matters: Sequence[Matter], *, listed: bool) -> None:
    at = {(one["url"], one["at"][:10]): place for place, one in enumerate(items)}
    entry_of, entries = _entries(items), dict[str, int]()
    for entry in entry_of:
        entries.setdefault(entry, len(entries))
    wanted = {(one.url, one.on.date().isoformat()) for one in matters}
    print(f"{len(items):,} open changes in {len(entries):,} entries, of which {len(matters)} matter")
    false = [one for one in items if one["importance"] == "high" and (one["url"], one["at"][:10]) not in wanted]
    print(f"by importance: {dict(Counter(one['importance'] for one in items))}; {len(false)} high that do not matter")
    is_drawn = any(one.part == "shared" for one in matters)
    sealed = [one for one in items if not is_drawn or change_history.noise_half(one["source_id"]) == "sealed"]
    if is_drawn:
        print(f"... {sum(one in sealed for one in false)} of them where noise of the sealed half stands")
    idle = sum(entries[one] < _FIRST_ENTRIES for one in set(entry_of) - {
        entry for entry, one in zip(entry_of, items, strict=True) if (one["url"], one["at"][:10]) in wanted
    })  # fmt: skip
    print(f"{idle} of the first {_FIRST_ENTRIES} entries have nothing that matters")
    for part in dict.fromkeys(one.part for one in matters):
        own = [one for one in matters if one.part == part]
        places = [at.get((one.url, one.on.date().isoformat())) for one in own]
        found = [place for place in places if place is not None]
        last = max(found, default=0)
        noise = sum((one["url"], one["at"][:10]) not in wanted for one in items[:last])
        shown = {entry_of[place] for place in found}
        levels = Counter(items[place]["importance"] for place in found)
        early = sum(entries[entry_of[place]] < _FIRST_ENTRIES for place in found)
        print(
            f"{part:<12} {len(found)} of {len(own)} listed, {early} in the first {_FIRST_ENTRIES} entries, "
            f"{sum(place < first for place in found)} in the first answer, "
            f"last at {last + 1} (entry {max((entries[one] for one in shown), default=0) + 1}), "
            f"{noise} that do not matter before it, {len(shown)} entries, {dict(levels)}"
        )
        if listed and part != "sealed":
            for one, place in zip(own, places, strict=True):
                what = (
                    "not listed"
                    if place is None
                    else f"{place + 1:>5} {items[place]['importance']:<7} {items[place]['sentence'][:110]}"
                )
                print(f"    {one.name[:28]:<28} {what}")
    if listed:
        before = Counter(
            (one["importance"], one["reasons"][0] if one["reasons"] else "", one["kind"])
            for one in items[: first * 4]
            if (one["url"], one["at"][:10]) not in wanted and one not in sealed
        )
        print(*(f"    {_show(items.index(one), one)}" for one in false if one not in sealed), sep="\n")
        print(
            "in the first four answers, and does not matter:",
            *(f"    {many:>5} {what}" for what, many in before.most_common(12)),
            sep="\n",
        )


def _show(place: int, change: dict[str, Any]) -> str:
    return f"{place + 1:>5} {change['importance']:<7} {change['sentence'][:110]}"


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
        choices=("made", "real", "boards", "drawn", "agencies"),
        default="made",
        help="which edits and noise",
    )
    parser.add_argument("--seed", type=int, default=change_history.SEED, help="of the history (default: %(default)s)")
    parser.add_argument("--pictures", type=Path, help="folder of screenshots")
    parser.add_argument("--list", action="store_true", dest="listed")
    opts = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = opts.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        truth = folder / "matters.json"
        with closing(open_ledger(str(folder / "ledger.db"))) as ledger:
            if not truth.exists():
                made = change_history.fill(
                    ledger,
                    open_store(folder / "staged"),
                    folder / "sources.json",
                    material=opts.material,
                    seed=opts.seed,
                )
                truth.write_text(json.dumps(made, default=datetime.isoformat), encoding="utf-8")
            token = signed_in(ledger)
        matters = [Matter(*one[:3], datetime.fromisoformat(one[3])) for one in json.loads(truth.read_text("utf-8"))]
        connection, pid = stack.enter_context(running(str(folder / "ledger.db"), folder))
        items, first = _read_list(connection, token)
        _print_reading(items, first, matters, listed=opts.listed)
        worst = _print_times(connection, pid, token)
        if opts.pictures:
            days = {(one.url, one.on.date().isoformat()) for one in matters}
            wanted = {one["change_id"] for one in items if (one["url"], one["at"][:10]) in days}
            _take_pictures(f"http://{connection.host}:{connection.port}", token, opts.pictures, wanted)
    return int(worst > _MOST_MS)


if __name__ == "__main__":
    sys.exit(main())
