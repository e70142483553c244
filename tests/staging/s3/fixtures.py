"""A bucket of its own for each test, on one S3 server (moto's) a test process."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config
from botocore.loaders import create_loader

from rori_spiders.staging.s3 import S3Store
from tests.staging.s3.proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = {
    "AWS_ACCESS_KEY_ID": "test-access",
    "AWS_SECRET_ACCESS_KEY": "test-secret-of-the-bucket",
    "AWS_REGION": "us-east-1",
}
#: What this machine's user has set must not be seen by a test.
_UNSET = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE")
_HERE = Path(__file__)
#: Reads botocore's descriptions of S3 once a process, not once a client: a tenth of a second less each.
_loader = cache(create_loader)


@dataclass
class Area:
    """A staging area in a bucket, empty. ``env`` is what reaches it."""

    name: str
    proxy: Proxy
    env: dict[str, str]
    client: Any  # past the proxy

    @property
    def uri(self) -> str:
        return f"s3://{self.name}/staged"

    def store(self) -> S3Store:
        return S3Store(self.uri)

    def keys(self, prefix: str = "staged/") -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
        return [found["Key"].removeprefix("staged/") for page in pages for found in page.get("Contents", ())]

    def put(self, key: str, data: bytes) -> None:
        self.client.put_object(Bucket=self.name, Key=f"staged/{key}", Body=data)

    def get(self, key: str) -> bytes:
        return bytes(self.client.get_object(Bucket=self.name, Key=f"staged/{key}")["Body"].read())


@contextmanager
def moto() -> Iterator[int]:
    """The port of a server of its own, which keeps all in memory."""
    command = [sys.executable, "-m", "tests.staging.s3.moto_process"]
    pipe, root = subprocess.PIPE, _HERE.parents[3]
    with subprocess.Popen(command, cwd=root, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.kill()


@pytest.fixture(scope="session")
def s3_port() -> Iterator[int]:
    """The port of the one server."""
    with moto() as port:
        yield port


@pytest.fixture
def area(s3_port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Area]:
    proxy = Proxy(s3_port)
    env = {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}", "AWS_EC2_METADATA_DISABLED": "true"}
    for name in _UNSET:
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        **env,
        "AWS_CONFIG_FILE": "/nonexistent",
        "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("botocore.session.create_loader", _loader)
    client = boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{s3_port}", config=Config(retries={"total_max_attempts": 1})
    )
    name = f"bucket-{uuid4().hex}"
    client.create_bucket(Bucket=name)
    yield Area(name, proxy, env, client)
    client.close()
    proxy.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that wait a second for an answer, and not at all between tries."""
    monkeypatch.setattr("rori_spiders.staging.s3.client.READ_S", 1.0)
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda self, context: 0)
