"""Inspect a bucket without writing to it: existence, permission to list, expiry rules."""

from collections.abc import Callable
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from rori_spiders.staging.s3.client import BucketLocation, client_endpoint, create_client, parse_s3_uri
from rori_spiders.staging.s3.errors import explain_s3_errors


class BucketProperties(NamedTuple):
    """Of a bucket; None is what its server would not say."""

    endpoint: str
    versioned: bool | None
    expiring: tuple[str, ...] | None  # ids of rules that expire keys below the prefix


def inspect_bucket(uri: str) -> BucketProperties:
    """Ask for one key below the prefix, and for the bucket's rules. Nothing is left behind. Raises StagingError."""
    place = parse_s3_uri(uri)
    client: Any = None
    with explain_s3_errors(uri, lambda: client_endpoint(client) if client else "an endpoint that is not known"):
        client = create_client()
        try:
            client.list_objects_v2(Bucket=place.bucket, Prefix=place.prefix, MaxKeys=1)
            versioning = _ask_server(client.get_bucket_versioning, place)
            rules = _ask_server(client.get_bucket_lifecycle_configuration, place, none="NoSuchLifecycleConfiguration")
            status = None if versioning is None else versioning.get("Status") == "Enabled"
            return BucketProperties(
                client_endpoint(client), status, None if rules is None else _expiring_rules(rules, place.prefix)
            )
        finally:
            client.close()


def _ask_server(ask: Callable[..., Any], place: BucketLocation, *, none: str = "") -> dict[str, Any] | None:
    """What the server says, {} for its code *none*; None where it does not know the question, or we may not ask."""
    try:
        return dict(ask(Bucket=place.bucket))
    except ClientError as error:
        return {} if none and error.response.get("Error", {}).get("Code") == none else None


def _expiring_rules(rules: dict[str, Any], prefix: str) -> tuple[str, ...]:
    return tuple(
        str(rule.get("ID") or number)
        for number, rule in enumerate(rules.get("Rules", ()), 1)
        if rule.get("Status") == "Enabled" and _expires_objects(rule) and _do_overlap(_rule_prefix(rule), prefix)
    )


def _expires_objects(rule: dict[str, Any]) -> bool:
    """Not so a rule that only removes the markers which deletions leave in a bucket with versions."""
    return bool((rule.get("Expiration") or {}).keys() & {"Days", "Date"})


def _rule_prefix(rule: dict[str, Any]) -> str:
    """Of the keys that it is for; one that asks for tags besides is none of ours."""
    chosen = rule.get("Filter") or {}
    if chosen.get("Tag") or (chosen.get("And") or {}).get("Tags"):
        return "\0"
    return str(rule.get("Prefix") or chosen.get("Prefix") or (chosen.get("And") or {}).get("Prefix") or "")


def _do_overlap(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
