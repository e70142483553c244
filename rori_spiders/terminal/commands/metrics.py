"""``scrapy metrics``: export metrics for Prometheus to standard output, to a file, or over HTTP."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.exceptions import ActionRefused, UsageError, WriteError
from rori_spiders.terminal.command import RoriCommand

if TYPE_CHECKING:
    import argparse

    from prometheus_client import CollectorRegistry

_LOOPBACK = "127.0.0.1"
_STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM}


class Metrics(RoriCommand):
    examples = (
        "scrapy metrics",
        "scrapy metrics --output /var/lib/node_exporter/textfile/rori.prom",
        "scrapy metrics --serve 9464                  on 127.0.0.1",
        "scrapy metrics --serve 10.0.0.5:9464         on this address, without authentication",
    )
    usage = "[--output FILE | --serve [HOST:]PORT]"
    summary = "Export metrics for Prometheus"
    description = (
        "Prints the metrics in Prometheus' text format. --output atomically replaces a file, for node_exporter's "
        "textfile collector; run it from a timer. --serve answers HTTP at /metrics until stopped. All metrics come "
        "from the ledger and cover all nodes, so one process is enough."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        one = parser.add_mutually_exclusive_group()
        one.add_argument("--output", metavar="FILE", type=Path, help="write the metrics to this file")
        one.add_argument(
            "--serve", metavar="[HOST:]PORT", help="serve http://HOST:PORT/metrics (default HOST: 127.0.0.1)"
        )

    def answer(self, opts: argparse.Namespace) -> int:
        # Scrapy imports each command to list it: what only this one needs is imported here.
        from prometheus_client import CollectorRegistry, generate_latest, write_to_textfile

        from rori_spiders.operations.metrics.collector import LedgerCollector

        collector = LedgerCollector(self.places, self.settings, self.now, _print_error)
        registry = CollectorRegistry()
        if opts.serve:
            host, port = _parse_address(opts.serve)
            registry.register(collector)
            return _serve_metrics(registry, host, port)
        list(collector.read())  # an error ends this command; it is not a metric here
        registry.register(collector)
        if opts.output is None:
            sys.stdout.write(generate_latest(registry).decode())
            return 0
        before = os.umask(0o022)  # node_exporter is another user
        try:
            write_to_textfile(str(opts.output), registry)
        except OSError as error:
            raise WriteError(f"Cannot write {opts.output}: {error.strerror}.") from error
        finally:
            os.umask(before)
        return 0


def _parse_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--serve: expected PORT or HOST:PORT, not {text!r}")
    return host.strip("[]") or _LOOPBACK, int(port)


def _serve_metrics(registry: CollectorRegistry, host: str, port: int) -> int:
    from prometheus_client import start_http_server

    # Block signals before the server thread starts: it inherits the mask, and sigwait below receives them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    try:
        server, _thread = start_http_server(port, host, registry)
    except OSError as error:
        raise ActionRefused(f"cannot listen on {host}:{port}: {error.strerror}") from error
    print(f"http://{host}:{server.server_port}/metrics", flush=True)
    signal.sigwait(_STOP_SIGNALS)
    server.shutdown()
    return 0


def _print_error(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
