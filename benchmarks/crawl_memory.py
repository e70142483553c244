"""Whether a crawl's memory stays flat: what a job and its workers weigh as page after page of one site is collected.

    .venv/bin/python -m benchmarks.crawl_memory          # 10,000 pages
    .venv/bin/python -m benchmarks.crawl_memory 3000

Prints RSS and PSS (MiB) of all processes of the job after each thousand pages, and the last against the first.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.linked_pages import serve
from tests.support.memory import MIB, weigh
from tests.support.project import Project, source
from tests.support.server import Site

_EVERY = 1000


def main() -> None:
    """Serve, collect, weigh."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=int, nargs="?", default=10_000)
    pages = parser.parse_args().pages
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        serve(site, pages, "The limit is {} dollars.".format)
        project = Project(Path(folder))
        project.manifest([source("all", site.at("/"), "crawl")], delay_s=0.0001)
        weights = []
        with project.start("collect", "--force", env={"RORI_PROGRESS": "never"}) as job:
            for wanted in range(_EVERY, pages + 1, _EVERY):
                if not site.log.wait_for_hits(wanted, unless=lambda: job.poll() is not None, timeout=3600):
                    break
                each = weigh(job.pid)
                weights.append(sum(rss for rss, _ in each))
                print(
                    f"{wanted:6} pages  RSS {weights[-1] // MIB:4}  PSS {sum(pss for _, pss in each) // MIB:4}",
                    flush=True,
                )
            job.communicate()
        print(f"after the last {weights[-1] / weights[0]:.3f} of what it was after the first {_EVERY}")


if __name__ == "__main__":
    main()
