"""A server that is told to end does not wait for those who follow what runs, and says nothing of them in its log."""

from __future__ import annotations

import logging
import signal
import threading
from contextlib import closing
from http.client import HTTPConnection
from typing import TYPE_CHECKING

import pytest
import uvicorn

from rori_spiders.monitor.application import server as application_server
from rori_spiders.monitor.state.settings import MonitorSettings

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.testclient import TestClient


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_shutdown_closes_open_streams(app: FastAPI, viewer: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    config = uvicorn.Config(app, lifespan="off", log_config=None, timeout_graceful_shutdown=60)
    server = application_server._Server(config, lambda: None, app.state.following.end)
    with closing(application_server.open_socket(MonitorSettings(port=0))) as listening:
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        host, port = listening.getsockname()
        with closing(HTTPConnection(host, port, timeout=20)) as follower:
            cookie = f"rori-session={viewer.cookies['rori-session']}"
            follower.request("GET", "/api/v1/activity/events", headers={"Cookie": cookie})
            answer = follower.getresponse()
            assert answer.readline() == b"retry: 3000\n"
            server.handle_exit(signal.SIGTERM, None)
            answer.read()
            running.join(20)
    assert not running.is_alive(), "it waits for whoever follows"
    assert caplog.messages == []
