"""A real Scrapyd on a free port, in a folder of its own as an operator has one, that never outlives the test."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.command_client import Starter

_REPOSITORY = Path(__file__).parents[2]
_CFG = "[settings]\ndefault = node_settings\n"
_PASSWORD = "correct horse"
_STARTS_S = 60.0


class Node:
    """One node: `scrapyd` in *folder*, with the repository's scrapyd.conf, polling ten times a second.

    Its jobs say their node in the User-Agent, so that a server can tell them apart. With a *starter* it and they begin
    in forks: what is installed in another place needs an interpreter of its own.
    """

    def __init__(
        self,
        folder: Path,
        env: Mapping[str, str],
        *,
        max_proc: int = 2,
        cfg: str = _CFG,
        starter: Starter | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.port = folder, _free_port()
        conf = (_REPOSITORY / "scrapyd.conf").read_text(encoding="utf-8")
        for name, value in {"poll_interval": "0.1", "max_proc": str(max_proc), "stop_jobs": "yes"}.items():
            conf = re.sub(rf"^{name} .*$", f"{name} = {value}", conf, flags=re.MULTILINE)
        (folder / "scrapyd.conf").write_text(conf, encoding="utf-8")
        if cfg:
            (folder / "scrapy.cfg").write_text(cfg, encoding="utf-8")
        settings = f"from rori_spiders.settings import *\nUSER_AGENT = f'{{USER_AGENT}} node/{self.port}'\n"
        settings += "DOWNLOAD_TIMEOUT = 300\n"  # an answer that a test holds back is not given up on a busy machine
        (folder / "node_settings.py").write_text(settings, encoding="utf-8")
        self.env = {
            **env,
            "SCRAPYD_USERNAME": "ops",
            "SCRAPYD_PASSWORD": _PASSWORD,
            "SCRAPYD_HTTP_PORT": str(self.port),
        }
        self._log = folder / "scrapyd.log"
        self._starter = starter
        self._process: subprocess.Popen[Any] | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> Self:
        """Start it, and wait until it answers. AssertionError with its log when it does not."""
        with self._log.open("ab") as log:
            if self._starter:
                self._process = self._starter.start(
                    ["--pidfile="], cwd=self.folder, env=self.env, module="scrapyd", output=log
                )
            else:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "scrapyd", "--pidfile="],
                    cwd=self.folder,
                    env=self.env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        until = time.monotonic() + _STARTS_S
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < until, self.log
            time.sleep(0.05)
        return self

    def kill(self) -> None:
        """SIGKILL to Scrapyd and all that it has started: nothing of the node ends by itself."""
        if self._process is not None:
            with suppress(ProcessLookupError):  # it has ended, and all of its jobs
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def signal(self, number: int) -> None:
        """To Scrapyd alone, as Docker does it."""
        assert self._process is not None
        os.kill(self._process.pid, number)

    def wait_for_end(self) -> None:
        """Until Scrapyd has ended; its jobs may go on."""
        assert self._process is not None
        self._process.wait(timeout=60)

    def wait_for_log(self, found: str, *, timeout_s: float = 60.0) -> None:
        """AssertionError with the log when *found* does not come."""
        until = time.monotonic() + timeout_s
        while found not in self.log:
            assert time.monotonic() < until, self.log
            time.sleep(0.1)

    @property
    def name(self) -> str:
        """What the queue calls it."""
        return f"{socket.gethostname()}:{self.port}"

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def get(self, page: str, **arguments: str) -> dict[str, Any]:
        """What a page of its API answers."""
        return self._ask(f"{page}?{urlencode(arguments)}")

    def post(self, page: str, **arguments: str) -> dict[str, Any]:
        return self._ask(page, urlencode(arguments).encode())

    def text(self, page: str) -> str:
        return self._open(page).decode()

    def upload(self, page: str, *, file: Path, **arguments: str) -> dict[str, Any]:
        """POST with a file, as `curl -F egg=@FILE` does."""
        parts = [
            f'Content-Disposition: form-data; name="{key}"\r\n\r\n{value}'.encode() for key, value in arguments.items()
        ]
        parts.append(
            f'Content-Disposition: form-data; name="egg"; filename="{file.name}"\r\n\r\n'.encode() + file.read_bytes()
        )
        body = b"".join(b"--limit\r\n" + part + b"\r\n" for part in parts) + b"--limit--\r\n"
        return self._ask(page, body, {"Content-Type": "multipart/form-data; boundary=limit"})

    def wait(self, page: str, found: str, *, timeout_s: float = 60.0, **arguments: str) -> dict[str, Any]:
        """Ask until *found* stands in the answer. AssertionError with the node's log when it does not come."""
        until = time.monotonic() + timeout_s
        while found not in json.dumps(answer := self.get(page, **arguments)):
            assert time.monotonic() < until, f"{answer}\n{self.log}"
            time.sleep(0.1)
        return answer

    def _ask(self, page: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._open(page, body, headers))
        return answer

    def _open(self, page: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
        secret = base64.b64encode(f"ops:{_PASSWORD}".encode()).decode()
        asked = Request(
            f"http://127.0.0.1:{self.port}/{page}", body, {"Authorization": f"Basic {secret}", **(headers or {})}
        )
        with build_opener(ProxyHandler({})).open(asked, timeout=60) as answer:
            found: bytes = answer.read()
            return found

    def _answers(self) -> bool:
        try:
            build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{self.port}/", timeout=10)
        except HTTPError as error:
            return error.code == 401
        except OSError:
            return False
        raise AssertionError("the node answers without a password")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
