"""``scrapy metrics``: what Prometheus is told, once to a file or the terminal, or at each scrape."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.exceptions import UsageError, WriteError
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
        "scrapy metrics --serve 9464                  on loopback",
        "scrapy metrics --serve 10.0.0.5:9464         on that address: whoever reaches it can read it",
    )
    usage = "[--output FILE | --serve [HOST:]PORT]"
    summary = "Tell Prometheus what the ledger knows"
    description = (
        "Prints the metrics once, in Prometheus' text format. --output replaces a file by them in one step, for "
        "node_exporter's textfile collector; call it from a timer. --serve answers at /metrics until it is "
        "stopped. All of it is read from the ledger, so it is right over all nodes: one such process is enough."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        one = parser.add_mutually_exclusive_group()
        one.add_argument("--output", metavar="FILE", type=Path, help="replace this file by the metrics")
        one.add_argument("--serve", metavar="[HOST:]PORT", help="answer at http://HOST:PORT/metrics; HOST: 127.0.0.1")

    def answer(self, opts: argparse.Namespace) -> int:
        # Scrapy imports each command to list it: what only this one needs is imported here.
        from prometheus_client import CollectorRegistry, generate_latest, write_to_textfile

        from rori_spiders.operations.metrics.collector import LedgerCollector

        assert self.settings is not None
        collector = LedgerCollector(self.places, self.settings, self.now, _print_error)
        registry = CollectorRegistry()
        if opts.serve:
            host, port = _parse_address(opts.serve)
            registry.register(collector)
            return _serve_metrics(registry, host, port)
        list(collector.read())  # what is wrong is an error here, not a metric
        registry.register(collector)
        if opts.output is None:
            sys.stdout.write(generate_latest(registry).decode())
            return 0
        try:
            write_to_textfile(str(opts.output), registry)
        except OSError as error:
            raise WriteError(f"{opts.output} cannot be written: {error.strerror}.") from error
        return 0


def _parse_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--serve takes a port, or HOST:PORT, not {text!r}")
    return host.strip("[]") or _LOOPBACK, int(port)


def _serve_metrics(registry: CollectorRegistry, host: str, port: int) -> int:
    from prometheus_client import start_http_server

    # Blocked before there is a second thread, which inherits it: then one of them waits here for sure.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    try:
        server, _thread = start_http_server(port, host, registry)
    except OSError as error:
        raise UsageError(f"nothing can be served at {host}:{port}: {error.strerror}") from error
    print(f"http://{host}:{server.server_port}/metrics", flush=True)
    signal.sigwait(_STOP_SIGNALS)
    server.shutdown()
    return 0


def _print_error(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
