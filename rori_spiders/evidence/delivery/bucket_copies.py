"""Copies of heads in S3, one object each, which nobody can change or remove before their retention ends."""

from base64 import b64encode
from datetime import datetime, timedelta
from hashlib import md5, sha256

from botocore.exceptions import BotoCoreError, ClientError

from rori_spiders.evidence.delivery.base import REQUEST_TIMEOUT_S, CopyDestination, DeliveryFailed
from rori_spiders.ledger.audit.head_log import StoredHead
from rori_spiders.staging.s3.client import create_client, parse_s3_uri
from rori_spiders.staging.s3.errors import error_code


class BucketDestination(CopyDestination):
    """A prefix in a bucket with object lock; each head is locked for *retention_days* (compliance mode)."""

    def __init__(self, uri: str, retention_days: int) -> None:
        self._place = parse_s3_uri(uri)
        super().__init__(str(self._place))
        self._retention = timedelta(days=retention_days)

    def send(self, head: StoredHead, now: datetime) -> None:
        """Put *head*; its key has its size and hash, so that no other head takes its place."""
        body = head.full_note.encode()
        key = f"{self._place.prefix}{head.size:015d}-{sha256(head.note.encode()).hexdigest()[:16]}.txt"
        try:
            create_client(attempts=1, timeout_s=REQUEST_TIMEOUT_S).put_object(
                Bucket=self._place.bucket,
                Key=key,
                Body=body,
                ContentType="text/plain; charset=utf-8",
                ContentMD5=b64encode(md5(body, usedforsecurity=False).digest()).decode(),  # S3 asks for it with a lock
                ObjectLockMode="COMPLIANCE",
                ObjectLockRetainUntilDate=now + self._retention,
            )
        except ClientError as error:
            message = error.response.get("Error", {}).get("Message", "")
            raise DeliveryFailed(f"the bucket refused it ({error_code(error)}: {message})") from error
        except TimeoutError as error:
            raise DeliveryFailed("the bucket did not respond in full in time") from error
        except BotoCoreError as error:
            raise DeliveryFailed(f"the bucket cannot be reached ({type(error).__name__})") from error
