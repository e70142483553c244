"""How long the monitor's first view takes in a browser, over a large ledger: until its table of sources has rows.

    .venv/bin/python -m benchmarks.monitor_view              # 1,000,000 audit rows, 5,000 sources, on SQLite
    .venv/bin/python -m benchmarks.monitor_view 100000 --ledger postgresql://...

Chromium, with nothing cached, signed in: once of a monitor that was just started, then ten times more. Seconds from the
navigation to the first row, and to an answer of the page to a key. Ends with 1 when the slowest takes more than 1.5.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from playwright.sync_api import expect, sync_playwright

from benchmarks import ledger_queries
from benchmarks.monitor import at_work, manifest, running, signed_in
from rori_spiders.ledger.database import open_ledger
from rori_spiders.monitor.web import building

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_MOST_S = 1.5
_TIMES = 10
_CHROMIUM = os.environ.get("RORI_CHROMIUM", "/usr/bin/chromium")


def viewed(browser: Browser, address: str, token: str) -> tuple[float, float]:
    """Seconds until rows are there, and until what is typed is shown."""
    with closing(browser.new_context(base_url=address)) as context:
        context.add_cookies([{"name": "rori-session", "value": token, "url": address}])
        page = context.new_page()
        began = perf_counter()
        page.goto("/", wait_until="commit")
        page.get_by_role("row").nth(10).wait_for()
        rows = perf_counter() - began
        search = page.get_by_label("Search")
        search.press_sequentially("r")
        expect(search).to_have_value("r")
        return rows, perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--ledger", metavar="URL", help="this ledger, which is kept")
    opts = parser.parse_args()
    building.page()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        url = opts.ledger or str(folder / "ledger.db")
        with closing(open_ledger(url)) as ledger:
            ledger_queries.filled(ledger, opts.rows)
            at_work(ledger)
            token = signed_in(ledger)
        manifest(folder / "sources.json", opts.rows // 200)
        connection, _ = stack.enter_context(running(url, folder))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, chromium_sandbox=os.geteuid() != 0)
        address = f"http://{connection.host}:{connection.port}"
        took = [viewed(browser, address, token) for _ in range(1 + _TIMES)]
        browser.close()
    for name, part in (("rows", 0), ("an answer to a key", 1)):
        first, *others = (one[part] for one in took)
        print(f"{name:<20} first {first:.2f} s, then median {median(others):.2f}, slowest {max(others):.2f}")
    return int(max(one[1] for one in took) > _MOST_S)


if __name__ == "__main__":
    sys.exit(main())
