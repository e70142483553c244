"""The connection to S3: endpoint, region and credentials by the usual AWS settings, timeouts and attempts by ours;
and the bucket and prefix of an `s3://` URI.
"""

import logging
import re
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import boto3
from botocore.client import BaseClient
from botocore.config import Config

from rori_spiders.exceptions import StagingError
from rori_spiders.runtime.http_requests import call_within

#: Three tries of 15 s, and the waits between them (at most 1 and 2 s), end before a lease does (`crawl/job/leases.py`:
# 60 s).
CONNECT_S, READ_S, MAX_ATTEMPTS = 5.0, 10.0, 3
_RETRY_WAIT_S = 1.5
#: Bytes a second of a body that is still waited for, beyond the time of a call without one.
_SLOWEST_BYTES_S = 256 * 1024
#: What they log at DEBUG holds headers and bodies.
_NOISY_LOGGERS = ("boto3", "botocore")


def create_client(*, attempts: int = MAX_ATTEMPTS, timeout_s: float | None = None) -> BaseClient:
    """A client that makes so many *attempts*, of *timeout_s* each (READ_S); any thread of this process may use it.

    Raises botocore's errors for settings that are wrong. A call that is not answered in full within the time of all its
    attempts raises TimeoutError.
    """
    for name in _NOISY_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    read_s = READ_S if timeout_s is None else timeout_s
    config = Config(
        connect_timeout=min(CONNECT_S, read_s),
        read_timeout=read_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
        # What we send is signed with its SHA-256 and has its checksums by us. Of its own accord botocore sends them
        # behind the body, which servers other than Amazon's take for a part of it.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"payload_signing_enabled": True},
    )
    client = boto3.session.Session().client("s3", config=config)
    _set_deadline(client, attempts * (min(CONNECT_S, read_s) + read_s) + (attempts - 1) * _RETRY_WAIT_S)
    return client


def _set_deadline(client: Any, seconds: float) -> None:
    """Have each call of *client* end within *seconds* and the time of its body: botocore's own timeout begins anew with
    each byte, so that a server which sends one now and then would be waited for without end.

    Paginators and methods all go through this one function of botocore, which has no public place for it.
    """
    call = client._make_api_call  # noqa: SLF001

    def call_with_deadline(operation: str, parameters: dict[str, Any]) -> Any:
        body = parameters.get("Body", b"")
        answer = call_within(seconds + len(body) / _SLOWEST_BYTES_S, lambda: call(operation, parameters))
        if operation == "GetObject":
            body_s = answer["ContentLength"] / _SLOWEST_BYTES_S
            answer["Body"] = BytesIO(call_within(seconds + body_s, answer["Body"].read))
        return answer

    client._make_api_call = call_with_deadline  # noqa: SLF001


def client_endpoint(client: Any) -> str:
    """The endpoint for messages, without user and password."""
    parts = urlsplit(str(client.meta.endpoint_url))
    return str(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))


# ``s3://bucket/prefix``: which bucket, and where in it.

_BUCKET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")  # older buckets have capitals and underscores
#: A key has at most 1,024 bytes. Ours take 570 at most below the prefix: `domains`, a domain of 253, a run, a folder
#: and a name of 204 with separators; an envelope takes 553, the logs and summaries less.
MAX_PREFIX_BYTES = 400


@dataclass(frozen=True, slots=True)
class BucketLocation:
    bucket: str
    prefix: str  # empty, or ends with a slash

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def parse_s3_uri(uri: str) -> BucketLocation:
    """The place that *uri* names. Raises StagingError for what is none."""
    bucket, _, path = uri.removeprefix("s3://").partition("/")
    prefix = path.strip("/")
    parts = prefix.split("/") if prefix else []
    odd = any(part in {"", ".", ".."} or not part.isprintable() for part in parts)
    if (
        not uri.startswith("s3://")
        or not _BUCKET_NAME.fullmatch(bucket)
        or odd
        or len(prefix.encode()) > MAX_PREFIX_BYTES
    ):
        raise StagingError(
            f"{uri!r} is not a valid S3 location. Set RORI_STAGING to s3://bucket/prefix: the bucket's name "
            f"alone, then names separated by single slashes, {MAX_PREFIX_BYTES} bytes at most."
        )
    return BucketLocation(bucket, f"{prefix}/" if prefix else "")
