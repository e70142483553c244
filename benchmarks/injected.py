"""Faults at every commit and every call of the staging area of a run: what `scrapy verify` finds after recovery.

    .venv/bin/python -m benchmarks.injected                # every step, each broken in four ways
    .venv/bin/python -m benchmarks.injected --servers      # the ledger in PostgreSQL, the staging area in S3 (moto)
    .venv/bin/python -m benchmarks.injected --every 5

A site of six pages is collected, then changed (one page goes, one comes); the job that collects it anew is broken at
one step: it fails, it is done and says that it failed, the job is killed before it, or after it. The next job goes on.
Tells each fault after which a page is lost, staged twice or not as it was served, or `scrapy verify` finds anything,
and then ends with 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Self
from uuid import uuid4

import boto3

from tests.crawl.crashes.broken_step_addon import HOWS, Fault
from tests.crawl.crashes.broken_steps import Injected
from tests.staging.s3.fixtures import KEYS, moto
from tests.support.postgresql import Cluster
from tests.support.project import Project
from tests.support.server import Site
from tests.support.server.fixtures import next_address


def main() -> None:
    """Break each step in each way; print how many were broken, by what was called."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th of them")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="leave out so many before")
    parser.add_argument("--servers", action="store_true", help="PostgreSQL and S3 in place of two folders")
    given = parser.parse_args()
    with ExitStack() as stack:
        _break(given, stack.enter_context(Servers()) if given.servers else None)


def _break(given: argparse.Namespace, servers: Servers | None) -> None:
    steps = _broken(Fault(), servers)
    print(f"{len(steps)} steps: {dict(Counter(steps))}", flush=True)
    faults = [Fault(at, how) for at in range(1, len(steps) + 1) for how in HOWS]
    broken: Counter[str] = Counter()
    left: list[Fault] = []
    for fault in faults[given.first :: given.every]:
        broken[steps[fault.at - 1]] += 1
        try:
            _broken(fault, servers)
        except AssertionError as error:
            left.append(fault)
            print(f"{fault}\n{error}", flush=True)
        if broken.total() % 20 == 0:
            print(
                f"{broken.total()} of {len(faults[given.first :: given.every])}, {len(left)} not recovered", flush=True
            )
    print(f"{broken.total() - len(left)} of {broken.total()} faults recovered: {dict(broken)}")
    sys.exit(bool(left))


def _broken(fault: Fault, servers: Servers | None) -> list[str]:
    site = Site(next_address())
    try:
        with tempfile.TemporaryDirectory() as folder:
            project = Project(Path(folder))
            if servers is not None:
                project.env |= servers.new()
            return Injected(site, project).breaks_at(fault)
    finally:
        site.close()


class Servers:
    """PostgreSQL and moto's S3."""

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self._cluster = Cluster()
        self._stack.callback(self._cluster.close)
        endpoint = f"http://127.0.0.1:{self._stack.enter_context(moto())}"
        self._env = {**KEYS, "AWS_ENDPOINT_URL": endpoint, "AWS_EC2_METADATA_DISABLED": "true"}
        os.environ.update(self._env)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def new(self) -> dict[str, str]:
        """The environment of a project with a database and a bucket of its own."""
        self._cluster.drop_made()
        name = f"bucket-{uuid4().hex}"
        boto3.client("s3").create_bucket(Bucket=name)
        return self._env | {"RORI_DATABASE_URL": self._cluster.ledger(), "RORI_STAGING": f"s3://{name}/staged"}


if __name__ == "__main__":
    main()
