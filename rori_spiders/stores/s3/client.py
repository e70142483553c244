"""The connection to S3: endpoint, region and credentials by the usual AWS settings, time and tries by ours."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from botocore.client import BaseClient

#: Three tries of 15 s, and the waits between them (at most 1 and 2 s), end before a lease does (leasing.TTL_S, 60 s).
CONNECT_S, READ_S, TRIES = 5.0, 10.0, 3
#: What they log at DEBUG holds headers and bodies.
_TALKATIVE = ("boto3", "botocore")


def connect() -> BaseClient:
    """A client; it may be used by any thread of this process. Raises botocore's errors for settings that are wrong."""
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    config = Config(
        connect_timeout=CONNECT_S,
        read_timeout=READ_S,
        retries={"mode": "standard", "total_max_attempts": TRIES},
        # What we send is signed with its SHA-256 and has its checksums by us. Of its own accord botocore sends them
        # behind the body, which servers other than Amazon's take for a part of it.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"payload_signing_enabled": True},
    )
    return boto3.session.Session().client("s3", config=config)


def endpoint_of(client: Any) -> str:
    """Where it asks, for messages: without a user and a password."""
    parts = urlsplit(str(client.meta.endpoint_url))
    return str(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))
