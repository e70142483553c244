"""Large files, sent in parts: whole on their last step, or not there. What a dead process left is swept."""

from __future__ import annotations

from base64 import b64encode
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import md5
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from rori_spiders.stores.s3.troubles import code_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.stores.s3.place import Place

#: A body from this size on goes in parts, so that a broken connection costs one of them: at 1 MiB a second a part
#: takes 8 s. A part has 5 MiB at least, says S3.
THRESHOLD, PART = 16 * 1024 * 1024, 8 * 1024 * 1024
#: The largest file has some 100 MiB: 13 parts of at most 45 s. Whoever left one alone for this long is dead.
STALE = timedelta(hours=1)
_NOT_OFFERED = {
    "NotImplemented",
    "501",
    "MethodNotAllowed",
    "405",
    "AccessDenied",
    "403",
    "InvalidRequest",
    "NoSuchKey",
}


def upload(client: Any, named: dict[str, str], data: bytes, condition: dict[str, str]) -> None:
    """Keep *data* at a key; *condition* is that of the last step. Raises botocore's errors, and leaves nothing then."""
    at = {"Bucket": named["Bucket"], "Key": named["Key"]}
    at["UploadId"] = client.create_multipart_upload(**named)["UploadId"]
    try:
        parts = [
            {"PartNumber": number, "ETag": _part(client, at, number, data[start : start + PART])}
            for number, start in enumerate(range(0, len(data), PART), start=1)
        ]
        client.complete_multipart_upload(**at, **condition, MultipartUpload={"Parts": parts})
    except HTTPClientError:  # nobody answers: the next `mend` ends it
        raise
    except BaseException:
        with suppress(BotoCoreError, ClientError):
            client.abort_multipart_upload(**at)
        raise


def _part(client: Any, at: dict[str, str], number: int, data: bytes) -> str:
    digest = b64encode(md5(data, usedforsecurity=False).digest()).decode()
    return str(client.upload_part(**at, PartNumber=number, Body=data, ContentMD5=digest)["ETag"])


def unfinished(client: Any, place: Place, temporary: str, *, remove: bool) -> list[str]:
    """Keys, below the prefix, of uploads and of files in *temporary* that nobody works on any more."""
    before = datetime.now(UTC) - STALE
    left = []
    for key, upload_id in _uploads(client, place, before):
        if remove:
            client.abort_multipart_upload(Bucket=place.bucket, Key=key, UploadId=upload_id)
        left.append(key.removeprefix(place.prefix))
    pages = client.get_paginator("list_objects_v2")
    for page in pages.paginate(Bucket=place.bucket, Prefix=place.prefix + temporary):
        for found in page.get("Contents", ()):
            if found["LastModified"] < before:
                if remove:
                    client.delete_object(Bucket=place.bucket, Key=found["Key"])
                left.append(found["Key"].removeprefix(place.prefix + temporary))
    return left


def _uploads(client: Any, place: Place, before: datetime) -> Iterator[tuple[str, str]]:
    """Our uploads begun before that; none where the server does not list them, or we may not."""
    pages = client.get_paginator("list_multipart_uploads").paginate(Bucket=place.bucket, Prefix=place.prefix)
    try:
        for page in pages:
            for found in page.get("Uploads", ()):
                if found["Initiated"] < before and found["Key"].startswith(place.prefix):
                    yield found["Key"], found["UploadId"]
    except ClientError as error:
        if code_of(error) not in _NOT_OFFERED:
            raise
