"""Two processes over one database send at once: each alert goes out once."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.operations.alerts.conftest import AlertHarness

#: A node: says that it is ready, waits for a line, and makes its rounds.
NODE = """
import sys
from datetime import datetime
from tests.operations.alerts.conftest import Catalog, Source
from rori_spiders.operations.alerts.alert_dispatcher import run_alert_round
from rori_spiders.operations.alerts.channels import configured_channels
from rori_spiders.ledger.database import open_ledger
url, smtp, at = sys.argv[1:]
settings = {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": smtp, "RORI_ALERT_DIGEST": "07:00"}
configured_channels(settings)
ledger = open_ledger(url)
print("ready", flush=True)
sys.stdin.readline()
done = run_alert_round(ledger, Catalog(*(Source(f"s{n}") for n in range(40))), settings, datetime.fromisoformat(at))
print(sum(one.error is None for one in done.sent))
ledger.close()
"""


def test_alert_delivery_concurrent_nodes_send_one_mail(harness: AlertHarness, database_url: str) -> None:
    for number in range(40):
        harness.opens(f"s{number}", "source_blocked")
    words = [sys.executable, "-c", NODE, database_url, harness.box.url, "2026-02-13T17:01:00+00:00"]
    nodes = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        for node in nodes:
            assert node.stdout is not None
            assert node.stdout.readline() == "ready\n"
        for node in nodes:
            assert node.stdin is not None
            node.stdin.write("go\n")
            node.stdin.flush()
        said = [node.communicate(timeout=60) for node in nodes]
    finally:
        for node in nodes:
            node.kill()
    assert sorted(out for out, _ in said) == ["0\n", "1\n"], said
    assert harness.box.titles == ["[RORI] high: 40 alerts: source_blocked (40)"]
