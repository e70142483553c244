"""Kills at random moments of publishing, as many as you like: what tests/corpus/publishing/test_kills.py does 16 times.

    .venv/bin/python -m benchmarks.corpus_kills          # 60
    .venv/bin/python -m benchmarks.corpus_kills 500 --seed 7

Each version of a site of a dozen pages is published by processes that die by SIGKILL, five one after the other, at
any moment from their first step to the last; then by one that does not. Ends with an AssertionError when `latest`
names anything but a whole version, when an attempt after a kill fails, or takes another number, and when `scrapy
verify` finds anything but unfinished files. Prints what the kills left.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from rori_spiders.ledger.database import open_ledger
from tests.corpus.publishing.killing import Published

_A_VERSION = 5


def main() -> None:
    """Kill, look, go on; print how many kills it survived, and where they struck."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", type=int, nargs="?", default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "ledger.db"
        open_ledger(str(database)).close()
        killed = Published(database, str(Path(folder) / "staged"), random.Random(given.seed))  # noqa: S311  (no secret is made)
        while killed.kills < given.kills:
            killed.version(killed.finished + 1, min(_A_VERSION, given.kills - killed.kills))
        print(f"{killed.kills} kills, {killed.finished} versions: each whole, `latest` never at a part of one")
        for what, number in killed.where.most_common():
            print(f"{number:5}  {what}")


if __name__ == "__main__":
    main()
