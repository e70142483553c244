"""The web server: one process, one socket, until SIGINT or SIGTERM."""

import gc
import logging
import signal
import socket
import sys
from collections.abc import Callable
from ipaddress import ip_address
from types import FrameType

import uvicorn
from fastapi import FastAPI

from rori_spiders.exceptions import UsageError
from rori_spiders.monitor.state.settings import MonitorSettings
from rori_spiders.urls.canonical import bracket_ipv6

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: Seconds for responses in progress when the server stops: event streams never end by themselves.
_SHUTDOWN_GRACE_S = 3
#: How long one thread may keep the others waiting, seconds. Python's own 5 ms would be waited for at each row that an
#: answer reads while another is computed (benchmarks/monitor.py).
_SWITCH_INTERVAL_S = 0.0005
#: Looks for garbage: among so many new objects, after twenty such in what they left, after a hundred of these in all.
#: By Python's own 700, 10, 10 one in fifteen answers waited 0.2 s for that (5,000 sources, benchmarks/monitor.py).
_GC_THRESHOLDS = (5_000, 20, 100)


def open_socket(terms: MonitorSettings) -> socket.socket:
    """Open the listening socket. Raises UsageError, with what to do, when that fails."""
    family = socket.AF_INET6 if ip_address(terms.host).version == 6 else socket.AF_INET
    # By its name: else asyncio sends the body of an answer 40 ms after its headers, when those were confirmed.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((terms.host, terms.port))
        made.listen()
    except OSError as error:
        made.close()
        raise UsageError(
            f"cannot listen on {terms.host}:{terms.port}: {error.strerror}. If a monitor is already running "
            "there, choose another port; -s RORI_MONITOR_PORT=0 uses any free port"
        ) from error
    return made


def server_url(listening: socket.socket) -> str:
    """Return the URL for a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://{bracket_ipv6(host)}:{port}"


class _Server(uvicorn.Server):
    """A server that calls *begun* once it accepts requests, and ends its event streams when it stops.

    Each stream would go on while it has followers.
    """

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None], end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun
        self._end_streams = end_streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._begun()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._end_streams()


def run_server(app: FastAPI, listening: socket.socket, begun: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM; *begun* is called when the server accepts requests."""
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    gc.collect()
    gc.freeze()  # modules, manifest and the first overview stay: each look for garbage would go through them again
    gc.set_threshold(*_GC_THRESHOLDS)
    app.openapi()  # cached: otherwise the first request takes half a second and blocks all others
    config = uvicorn.Config(
        app,
        http="h11",  # httptools, where it happens to be installed, has no maximum for headers
        lifespan="off",
        ws="none",
        proxy_headers=False,  # security/access_control.py believes only those that it is told to
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=_SHUTDOWN_GRACE_S,
    )
    server = _Server(config, begun, app.state.following.end)
    # Before there is an event loop: KeyboardInterrupt in the middle of its making leaves a broken one.
    replaced = {number: signal.signal(number, server.handle_exit) for number in _STOP_SIGNALS}
    try:
        server.run(sockets=[listening])
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
