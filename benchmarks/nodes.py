"""Two Scrapyd nodes over PostgreSQL and S3, 60 sources on 20 loopback addresses, and all that fails at once in the
middle: one node is killed with -9, the database is restarted with -m immediate, the bucket answers 503 for a minute.

``python -m benchmarks.nodes``: five minutes on a quiet machine, real leases, the collector's own 2 seconds between
requests, jobs made by `scrapy dispatch`, a bucket of moto's server. Prints what the servers saw and what was staged;
exit code 1 when a promise was broken.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import boto3

from tests.nodes.node_set import NodeSet, serve, turns
from tests.staging.s3.fixtures import KEYS, moto
from tests.staging.s3.proxy import Fault, Proxy
from tests.support.postgresql import Cluster
from tests.support.project import Project
from tests.support.server import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

DOMAINS, PAGES, DELAY_S = 20, 3, 2.0
_OUTAGE_S, _MOST_S = 60.0, 1200.0
_LATE_S = 0.1  # between leaving and arrival, on a loaded machine
_BUCKET, _PREFIX = "staging", "rori"


@dataclass
class Bucket:
    """A new bucket on a server of its own; ``env`` is what reaches it."""

    env: dict[str, str]
    client: Any  # past the proxy
    proxy: Proxy

    def index(self) -> list[dict[str, Any]]:
        """The lines of all segments."""
        prefix = f"{_PREFIX}/_index/"
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=_BUCKET, Prefix=prefix)
        keys = [found["Key"] for page in pages for found in page.get("Contents", ())]
        bodies = [self.client.get_object(Bucket=_BUCKET, Key=key)["Body"].read() for key in keys]
        return [json.loads(line) for body in bodies for line in body.splitlines()]


@contextmanager
def bucket() -> Iterator[Bucket]:
    with moto() as port, closing(Proxy(port)) as proxy:
        endpoint = f"http://127.0.0.1:{proxy.port}"
        env = {**KEYS, "AWS_ENDPOINT_URL": endpoint, "AWS_EC2_METADATA_DISABLED": "true"}
        client = boto3.client(
            "s3",
            endpoint_url=env["AWS_ENDPOINT_URL"],
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            region_name=KEYS["AWS_REGION"],
        )
        client.create_bucket(Bucket=_BUCKET)
        yield Bucket(env, client, proxy)


def main() -> int:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="rori-nodes-")))
        sites = [stack.enter_context(Site(f"127.0.30.{number + 1}")) for number in range(DOMAINS)]
        cluster = Cluster()
        stack.callback(cluster.close)
        area = stack.enter_context(bucket())
        project = Project(folder)
        project.env |= area.env
        project.manifest(serve(sites, PAGES), delay_s=DELAY_S)
        node_set = NodeSet(project, cluster.ledger(), max_proc=3, staging=f"s3://{_BUCKET}/{_PREFIX}")
        began = time.monotonic()
        killed = _collect(node_set, cluster, area.proxy, began)
        jobs = Counter(state for (state,) in node_set.rows("SELECT state FROM jobs"))
        runs = Counter(state for (state,) in node_set.rows("SELECT state FROM runs"))
        staged = Counter(line["url"] for line in area.index())
        verified = project.scrapy("verify").returncode
        wanted = {site.at(f"/{one}"): 1 for site in sites for one in range(PAGES)}
        print(f"{time.monotonic() - began:.0f} s in all, a node killed after {killed:.0f} s; jobs {dict(jobs)}")
        print(f"runs {dict(runs)}; {len(staged)} pages staged, {sum(staged.values())} index lines; verify: {verified}")
        good = staged == wanted and runs["complete"] == len(wanted) and not verified
        return int(not (_polite(sites) and good))


def _collect(node_set: NodeSet, cluster: Cluster, proxy: Proxy, began: float) -> float:
    """Until all sources are complete, seconds after which the first node was killed and the outages began."""
    with node_set, node_set.project.start("dispatch", "-s", "RORI_DISPATCH_INTERVAL=5") as loop:
        dying = node_set.nodes[0]
        dying.wait("daemonstatus.json", '"finished": 3', timeout_s=180)
        proxy.always = [Fault("503")]
        dying.kill()
        cluster.restart()
        killed = time.monotonic() - began
        time.sleep(_OUTAGE_S)
        proxy.always = []
        until = time.monotonic() + _MOST_S
        complete = "SELECT 1 FROM runs WHERE state = 'complete' HAVING count(*) = %s::int"
        while not node_set.rows(complete, str(DOMAINS * PAGES)) and time.monotonic() < until:
            time.sleep(1)
        loop.terminate()
        loop.communicate(timeout=30)
    return killed


def _polite(sites: list[Site]) -> bool:
    """Whether nobody was asked by two nodes in turn, or before the delay was over; prints what the servers saw."""
    by_node = Counter(name for site in sites for name in turns(site))
    together = sum(len(turns(site)) != len(set(turns(site))) for site in sites)
    gap = min(gap for site in sites for gap in site.report().gaps)
    print(f"domains by node {dict(by_node)}; asked by two in turn: {together}; smallest gap {gap:.3f} s")
    return not together and gap >= DELAY_S - _LATE_S


if __name__ == "__main__":
    sys.exit(main())
