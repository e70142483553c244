"""The monitor behind nginx, set up as in docs/how-to/monitor.md, over TLS: sign-in, live progress, sizes, names."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import ssl
import subprocess
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.monitor.browser.serving import PASSWORD, add_user, serving
from tests.support.project import Project
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
pytestmark = pytest.mark.crawl

_DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "monitor.md"
_HOST = "monitor.example.org"
_PORTS = {"forms": 8443, "names": 8444, "careless": 8445}
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_WHOLE = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/fast;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {servers}
}}
"""


class Behind:
    """A browser's requests, through the proxy."""

    def __init__(self, address: str, certificate: Path) -> None:
        self._address = address
        self._trusted = ssl.create_default_context(cafile=certificate)
        self._trusted.check_hostname = False
        self.cookie = ""

    @contextmanager
    def asks(
        self, path: str, body: bytes | None = None, *, server: str = "forms", **headers: str
    ) -> Iterator[HTTPResponse]:
        connection = HTTPSConnection(self._address, _PORTS[server], context=self._trusted, timeout=60)
        sent = {"Host": _HOST, "Cookie": self.cookie, "Origin": f"https://{_HOST}", **headers}
        with closing(connection):
            connection.request("GET" if body is None else "POST", path, body, sent)
            yield connection.getresponse()

    def status(self, path: str, body: bytes | None = None, *, server: str = "forms", **headers: str) -> int:
        with self.asks(path, body, server=server, **headers) as answer:
            return answer.status

    def signs_in(self) -> HTTPResponse:
        """As anna, by the form."""
        form = urlencode({"name": "anna", "password": PASSWORD, "next": "/control?q=a"}).encode()
        with self.asks("/login", form, **_FORM) as answer:
            self.cookie = str(answer.headers["set-cookie"]).partition(";")[0]
            return answer


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    """Three servers of one nginx: as the docs have it, with their `auth_basic`, and with its header alone."""
    project, folder = Project(tmp_path_factory.mktemp("proxied")), tmp_path_factory.mktemp("nginx")
    address = next_address()
    project.env |= {
        "RORI_MONITOR_ALLOWED_HOSTS": _HOST,
        "RORI_MONITOR_TRUSTED_PROXIES": "127.0.0.1",
        "RORI_MONITOR_USER_HEADER": "X-Remote-User",
    }
    add_user(project, "anna", "operator")
    (folder / "users").write_text(f"anna:{{PLAIN}}{PASSWORD}\n", encoding="utf-8")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    made = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN={_HOST}".split()
    subprocess.run([*made, "-out", certificate, "-keyout", key], check=True, capture_output=True)
    with ExitStack() as opened:
        monitor = opened.enter_context(serving(project))
        files: dict[str, object] = {
            "/etc/ssl/monitor.example.org.pem": certificate,
            "/etc/ssl/monitor.example.org.key": key,
        }
        files |= {"http://127.0.0.1:8650": monitor, "/etc/nginx/monitor.users": folder / "users"}
        servers = "\n".join(_server(f"{address}:{port}", kind, files) for kind, port in _PORTS.items())
        (folder / "nginx.conf").write_text(_WHOLE.format(folder=folder, servers=servers), encoding="utf-8")
        opened.enter_context(_nginx(folder, address))
        yield Behind(address, certificate)


def _server(listen: str, kind: str, files: Mapping[str, object]) -> str:
    """The docs' server, with what lies elsewhere here."""
    fences = _DOCS.read_text(encoding="utf-8").split("```")
    (server,) = (one for one in fences if one.startswith("\nserver {"))
    (names,) = (one for one in fences if "auth_basic_user_file" in one and one.startswith("\n "))
    more = {"forms": 'proxy_set_header X-Remote-User "";', "names": names, "careless": names.splitlines()[3]}[kind]
    server = server.replace("listen 443 ssl;", f"listen {listen} ssl;").replace("location / {", f"location / {{ {more}")
    for there, here in files.items():
        server = server.replace(there, str(here))
    return server


@contextmanager
def _nginx(folder: Path, address: str) -> Iterator[None]:
    """It listens until the end of the block."""
    assert NGINX is not None, "this test needs nginx: sudo apt-get install nginx"
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            while not _listens(address):
                assert process.poll() is None, "nginx ended"
            yield
        finally:
            process.terminate()


def _listens(address: str) -> bool:
    with closing(socket.socket()) as tried:
        return tried.connect_ex((address, _PORTS["careless"])) == 0


def test_nginx_https_sign_in_works(behind: Behind) -> None:
    with behind.asks("/control?q=a") as answer:
        assert (answer.status, answer.headers["location"]) == (303, "/login?next=/control%3Fq%3Da")
    assert behind.status("/login", b"name=anna", **{**_FORM, "Origin": "https://example.org"}) == 403
    answer = behind.signs_in()
    assert (answer.status, answer.headers["location"]) == (303, "/control?q=a")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-rori-session=") and "Secure" in cookie and "HttpOnly" in cookie
    with behind.asks("/api/v1/session") as answer:
        assert json.load(answer)["user"] == "anna"
        assert answer.headers["strict-transport-security"]


def test_nginx_live_progress_is_not_buffered(behind: Behind) -> None:
    behind.signs_in()
    with behind.asks("/api/v1/activity/events") as answer:
        assert answer.status == 200
        assert [answer.readline() for _ in range(3)] == [b"retry: 3000\n", b"\n", b"event: activity\n"]


def test_nginx_oversized_body_is_refused_by_monitor(behind: Behind) -> None:
    behind.signs_in()
    with behind.asks("/api/v1/manifests/check", b" " * (13 << 20)) as answer:
        assert (answer.status, json.load(answer)["error"]["code"]) == (413, "too_large")
    assert behind.status("/api/v1/manifests/check", b" " * (17 << 20)) == 413


def test_nginx_user_header_counts_only_when_set_by_proxy(behind: Behind) -> None:
    behind.cookie = ""
    right, wrong = (base64.b64encode(f"anna:{one}".encode()).decode() for one in (PASSWORD, "wrong"))
    path = "/api/v1/session"
    assert behind.status(path, None, **{"X-Remote-User": "anna"}) == 401
    assert behind.status(path, None, server="names", **{"X-Remote-User": "anna"}) == 401
    assert behind.status(path, server="names", Authorization=f"Basic {wrong}") == 401
    with behind.asks(path, server="names", Authorization=f"Basic {right}") as answer:
        assert json.load(answer)["user"] == "anna"
    # What the docs warn of: without `auth_basic` nginx believes the name, and checks no password.
    assert behind.status(path, server="careless", Authorization=f"Basic {wrong}") == 200
