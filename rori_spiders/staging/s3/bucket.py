"""A bucket: keys and bytes below one prefix. Nothing there is overwritten but by ``replace`` and ``exchange``.

Keys are relative to the prefix. Errors are StagingError, in a sentence; FileNotFoundError where that is said.
"""

import os
import threading
from base64 import b64encode
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import md5, sha256
from itertools import islice
from typing import Any, NamedTuple
from uuid import uuid4

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    IncompleteReadError,
    ReadTimeoutError,
    ResponseStreamingError,
)

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.s3.client import MAX_ATTEMPTS, BucketLocation, client_endpoint, create_client
from rori_spiders.staging.s3.errors import MISSING_CODES, error_code, explain_s3_errors

TEMPORARY_FOLDER = "_tmp"
#: Reads on their way at once, where many are wanted: as many as botocore keeps connections for.
CONCURRENT_REQUESTS = 8
#: The key is taken. Or the upload is not known: it was completed and its answer lost, or it was swept as a dead one's.
_TAKEN_CODES = {"PreconditionFailed", "412", "NoSuchUpload"}
#: Another request for the same key is under way: this one must be made again.
_CONFLICT_CODES = {"ConditionalRequestConflict", "409", "OperationAborted"}
#: What a server answers that does not know the condition, and says so.
_UNSUPPORTED_CODES = {"NotImplemented", "501", "InvalidRequest", "InvalidArgument"}
_PROBE_BODY = b"is this overwritten?"
_IF_NEW = {"IfNoneMatch": "*"}
_BROKEN_READS = (IncompleteReadError, ReadTimeoutError, ResponseStreamingError)
_CONTENT_TYPES = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "gz": "application/gzip",
    "md": "text/markdown",
}


class BucketEntry(NamedTuple):
    key: str
    size: int
    modified: datetime


class Bucket:
    """What is below *place*. May be used by any thread, and after a fork."""

    def __init__(self, place: BucketLocation) -> None:
        self.place = place
        self.location = str(place)
        self._lock = threading.Lock()
        self._client: tuple[int, Any] | None = None  # process id, client
        self._conditional: bool | None = None

    @property
    def client(self) -> Any:
        """Made when it is first needed: a client does not survive a fork."""
        with self._lock:
            if self._client is None or self._client[0] != os.getpid():
                self._client = (os.getpid(), create_client())
            return self._client[1]

    @contextmanager
    def _explained(self, *, missing_is_fine: bool = False) -> Iterator[None]:
        with explain_s3_errors(self.location, self._endpoint, missing_is_fine=missing_is_fine):
            yield

    def _endpoint(self) -> str:
        return client_endpoint(self._client[1]) if self._client is not None else "an endpoint that is not known"

    def _named(self, key: str) -> dict[str, str]:
        return {"Bucket": self.place.bucket, "Key": self.place.prefix + key}

    # --- reading ----------------------------------------------------------------------------------------------------

    def get(self, key: str) -> bytes:
        """The bytes at *key*. Raises FileNotFoundError."""
        with self._explained(missing_is_fine=True):
            for left in reversed(
                range(MAX_ATTEMPTS)
            ):  # botocore asks again for an answer, not for the rest of its body
                try:
                    return bytes(self.client.get_object(**self._named(key))["Body"].read())
                except _BROKEN_READS:
                    if not left:
                        raise
        raise AssertionError("unreachable")

    def exists(self, key: str) -> bool:
        with self._explained():
            try:
                self.client.head_object(**self._named(key))
            except ClientError as error:
                if error_code(error) in MISSING_CODES:
                    return False
                raise
        return True

    def get_all(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Each key with its bytes, in order, several on their way at once."""
        remaining = iter(keys)
        with ThreadPoolExecutor(CONCURRENT_REQUESTS, thread_name_prefix="reading") as threads:
            while batch := list(islice(remaining, 8 * CONCURRENT_REQUESTS)):
                yield from zip(batch, threads.map(self.get, batch), strict=True)

    def entries(self, folder: str = "") -> Iterator[BucketEntry]:
        """Everything whose key begins with *folder*, in order of the keys' bytes, a thousand a request."""
        with self._explained():
            for page in self._pages(folder):
                for found in page.get("Contents", ()):
                    if found["Key"] != self.place.prefix:  # what a console makes to show the prefix as a folder
                        key = found["Key"].removeprefix(self.place.prefix)
                        yield BucketEntry(key, found["Size"], found["LastModified"])

    def level(self, folder: str = "") -> tuple[list[str], list[str]]:
        """The names of the folders right below *folder* (empty, or ending with a slash), and those of the files."""
        start = len(self.place.prefix + folder)
        folders, files = [], []
        with self._explained():
            for page in self._pages(folder, Delimiter="/"):
                folders += [found["Prefix"][start:-1] for found in page.get("CommonPrefixes", ())]
                files += [found["Key"][start:] for found in page.get("Contents", ())]
        return folders, [file for file in files if file]

    def _pages(self, folder: str, **options: str) -> Iterator[dict[str, Any]]:
        listing = self.client.get_paginator("list_objects_v2")
        yield from listing.paginate(Bucket=self.place.bucket, Prefix=self.place.prefix + folder, **options)

    # --- writing ----------------------------------------------------------------------------------------------------

    @property
    def is_conditional(self) -> bool:
        """Whether the server refuses to overwrite when it is asked to. Found out once, by a key of our own."""
        if self._conditional is None:
            self._conditional = self._probe()
        return self._conditional

    def _probe(self) -> bool:
        name = f"check-{uuid4().hex}"
        with self._explained():
            self._put(f"{TEMPORARY_FOLDER}/{name}", _PROBE_BODY, {})
            try:
                is_conditional = self._refuses_second(f"{TEMPORARY_FOLDER}/{name}")
                if name not in self.level(f"{TEMPORARY_FOLDER}/")[1] or TEMPORARY_FOLDER not in self.level()[0]:
                    raise StagingError(
                        f"The server at {self._endpoint()} stores files but omits them from listings, so the "
                        f"contents of {self.location} cannot be verified. Use another server."
                    )
            finally:
                self.client.delete_object(**self._named(f"{TEMPORARY_FOLDER}/{name}"))
        return is_conditional

    def _refuses_second(self, key: str) -> bool:
        """Put the same bytes again, only if nothing is there."""
        try:
            self._put(key, _PROBE_BODY, _IF_NEW)
        except ClientError as error:
            if error_code(error) in _TAKEN_CODES:
                return True
            if error_code(error) not in _UNSUPPORTED_CODES:
                raise
        return False

    def check(self) -> None:
        """Raise StagingError when nothing could be listed, written or removed here now."""
        self._conditional = self._probe()

    def put_new(self, key: str, data: bytes) -> bool:
        """Keep *data* at *key*, whole. False when that is not known to be done: look what is there.

        It may be another's, or ours, whose answer was lost.
        """
        if not self.is_conditional and self.exists(key):
            return False
        return self._written(key, data, _IF_NEW if self.is_conditional else {})

    def put_once(self, key: str, data: bytes) -> bool:
        """Keep *data* at *key*; False when it is there already. FileExistsError when other bytes are there."""
        if self.put_new(key, data):
            return True
        try:
            there = self.get(key)
        except FileNotFoundError as error:
            raise StagingError(f"{key} in {self.location} was not stored, although the server confirmed it.") from error
        if there != data:
            raise FileExistsError(f"{key} exists in {self.location} with other contents")
        return False

    def put_same(self, key: str, data: bytes) -> None:
        """Keep *data* at *key*, which only ever stands for these bytes."""
        if not self.put_new(key, data) and not self.exists(key):
            raise StagingError(f"{key} in {self.location} was not stored, although the server confirmed it. Try again.")

    def replace(self, key: str, data: bytes) -> None:
        """Keep *data* at *key*, whatever stands there."""
        self._written(key, data, {})

    def exchange(self, key: str, before: bytes | None, data: bytes) -> bool:
        """Keep *data* where *before* stands (None: nothing); False, and nothing changes, when other bytes do.

        Where the server knows no conditions, we look first: of two at the same moment both may succeed.
        """
        if before is None:
            return self.put_new(key, data) or self._tagged(key)[0] == data
        there, tag = self._tagged(key)
        if there != before:
            return there == data
        condition = {"IfMatch": tag} if self.is_conditional else {}
        return self._written(key, data, condition) or self._tagged(key)[0] == data

    def _tagged(self, key: str) -> tuple[bytes | None, str]:
        with self._explained(missing_is_fine=True):
            try:
                answer = self.client.get_object(**self._named(key))
                return bytes(answer["Body"].read()), str(answer["ETag"])
            except ClientError as error:
                if error_code(error) in MISSING_CODES:
                    return None, ""
                raise

    def _written(self, key: str, data: bytes, condition: dict[str, str]) -> bool:
        with self._explained():
            for left in reversed(range(MAX_ATTEMPTS)):
                try:
                    self._put(key, data, condition)
                except ClientError as error:
                    if error_code(error) in _TAKEN_CODES:
                        return False
                    if error_code(error) not in _CONFLICT_CODES or not left:
                        raise
                else:
                    break
        return True

    def _put(self, key: str, data: bytes, condition: dict[str, str]) -> None:
        named = self._named(key)
        if kind := _CONTENT_TYPES.get(key.rpartition(".")[2]):
            named["ContentType"] = kind
        if len(data) >= THRESHOLD_BYTES:
            upload_in_parts(self.client, named, data, condition)
        else:
            self.client.put_object(**named, **compute_checksums(data), **condition, Body=data)

    def delete(self, key: str) -> None:
        with self._explained():
            self.client.delete_object(**self._named(key))

    def unfinished(self, *, remove: bool) -> list[str]:
        """Keys of uploads and checks that dead processes left; *remove* them, too."""
        with self._explained():
            return list_unfinished(self.client, self.place, f"{TEMPORARY_FOLDER}/", remove=remove)


def compute_checksums(data: bytes) -> dict[str, str]:
    """Two, for the server to verify: Amazon's own, and the one that every server knows."""
    return {
        "ChecksumSHA256": b64encode(sha256(data).digest()).decode(),
        "ContentMD5": b64encode(md5(data, usedforsecurity=False).digest()).decode(),
    }


# Large files, sent in parts: whole on their last step, or not there. What a dead process left is swept.

#: A body from this size on goes in parts, so that a broken connection costs one of them: at 1 MiB a second a part
#: takes 8 s. A part has 5 MiB at least, says S3.
THRESHOLD_BYTES, PART_BYTES = 16 * 1024 * 1024, 8 * 1024 * 1024
#: The largest file has some 100 MiB: 13 parts of at most 45 s. A writer that left one alone for this long is dead.
STALE_AGE = timedelta(hours=1)
_NOT_OFFERED_CODES = {
    "NotImplemented",
    "501",
    "MethodNotAllowed",
    "405",
    "AccessDenied",
    "403",
    "InvalidRequest",
    "NoSuchKey",
}


def upload_in_parts(client: Any, named: dict[str, str], data: bytes, condition: dict[str, str]) -> None:
    """Keep *data* at a key; *condition* is that of the last step. Raises botocore's errors, and leaves nothing then."""
    at = {"Bucket": named["Bucket"], "Key": named["Key"]}
    at["UploadId"] = client.create_multipart_upload(**named)["UploadId"]
    try:
        parts = [
            {"PartNumber": number, "ETag": _upload_part(client, at, number, data[start : start + PART_BYTES])}
            for number, start in enumerate(range(0, len(data), PART_BYTES), start=1)
        ]
        client.complete_multipart_upload(**at, **condition, MultipartUpload={"Parts": parts})
    except HTTPClientError:  # nobody answers: the next `mend` ends it
        raise
    except BaseException:
        with suppress(BotoCoreError, ClientError):
            client.abort_multipart_upload(**at)
        raise


def _upload_part(client: Any, at: dict[str, str], number: int, data: bytes) -> str:
    digest = b64encode(md5(data, usedforsecurity=False).digest()).decode()
    return str(client.upload_part(**at, PartNumber=number, Body=data, ContentMD5=digest)["ETag"])


def list_unfinished(client: Any, place: BucketLocation, temporary: str, *, remove: bool) -> list[str]:
    """Keys, below the prefix, of uploads and of files in *temporary* that nobody works on any more."""
    before = datetime.now(UTC) - STALE_AGE
    left = []
    for key, upload_id in _list_uploads(client, place, before):
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


def _list_uploads(client: Any, place: BucketLocation, before: datetime) -> Iterator[tuple[str, str]]:
    """Our uploads begun before that; none where the server does not list them, or we may not."""
    pages = client.get_paginator("list_multipart_uploads").paginate(Bucket=place.bucket, Prefix=place.prefix)
    try:
        for page in pages:
            for found in page.get("Uploads", ()):
                if found["Initiated"] < before and found["Key"].startswith(place.prefix):
                    yield found["Key"], found["UploadId"]
    except ClientError as error:
        if error_code(error) not in _NOT_OFFERED_CODES:
            raise
