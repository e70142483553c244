"""HTTPS: only a certificate that is valid, trusted and of this host opens a page. Nothing is asked of the others."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.hostile.certificates import server_context
from tests.hostile.server import Endpoint, HostileServer, html
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import Project, source
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.crawl

ENDPOINTS = {"/": Endpoint(html(page("Secret").encode()))}
#: What is wrong -> the words of the failure; it is robots.txt that fails first.
WRONG = {
    "self-signed": "certificate verify failed",
    "expired": "certificate verify failed",
    "other-host": "the certificate is for another host",
}


class Encrypted:
    """One server for each thing that can be wrong, one with nothing wrong, and what one crawl of all left."""

    def __init__(self, project: Project, opened: ExitStack) -> None:
        addresses = {name: next_address() for name in (*WRONG, "good")}
        made = {
            "self-signed": server_context(project.folder, addresses["self-signed"]),
            "expired": server_context(project.folder, addresses["expired"], days=-1),
            "other-host": server_context(project.folder, "127.0.99.99"),
            "good": server_context(project.folder, addresses["good"]),
        }
        bundle = project.folder / "trusted.pem"
        bundle.write_bytes(b"".join(made[name][1].read_bytes() for name in ("expired", "other-host", "good")))
        self.servers = {
            name: opened.enter_context(HostileServer(address, ENDPOINTS, made[name][0] if name in made else None))
            for name, address in addresses.items()
        }
        urls = {name: f"https://{server.netloc}/" for name, server in self.servers.items()}
        project.manifest([source(name, url) for name, url in urls.items()], delay_s=0.01)
        env = {"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.001", "SSL_CERT_FILE": str(bundle)}
        self.done = project.scrapy("collect", "-s", "DOWNLOAD_TIMEOUT=5", env=env)
        self.left = CrawlOutput(project)


@pytest.fixture(scope="module")
def encrypted(shared: Project) -> Iterator[Encrypted]:
    with ExitStack() as opened:
        yield Encrypted(shared, opened)


@pytest.mark.parametrize("name", WRONG)
def test_tls_untrusted_certificate_is_refused(encrypted: Encrypted, name: str) -> None:
    state, reason = encrypted.left.urls(name)["/"]
    assert state == "failed"
    assert WRONG[name] in reason
    assert not encrypted.servers[name].hits


def test_tls_trusted_certificate_opens_page(encrypted: Encrypted) -> None:
    assert encrypted.left.urls("good")["/"] == ("captured", "")
    encrypted.left.assert_sums()
