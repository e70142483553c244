"""What S3 answers, or does not, as a sentence for the person who must do something about it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from botocore import exceptions as aws
from botocore.exceptions import BotoCoreError, ClientError

from rori_spiders.exceptions import StagingError
from rori_spiders.stores.s3.client import READ_S, TRIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MISSING = {"404", "NoSuchKey", "NotFound"}
_KEYS = "Check the AWS credentials of this user (AWS_PROFILE, AWS_ACCESS_KEY_ID, or the role of this machine)"
_LATER = "Look after the server, and start again"
#: S3's own codes, what they mean, what to do.
_SAID = {
    "NoSuchBucket": (
        "there is no such bucket",
        "Make it, or correct RORI_STAGING; check AWS_REGION and AWS_ENDPOINT_URL",
    ),
    "AccessDenied": ("this user may not do that", "Give it the rights that docs/staging-s3.md lists"),
    "InvalidAccessKeyId": ("it does not know this access key", _KEYS),
    "SignatureDoesNotMatch": ("the secret key is not that of the access key", _KEYS),
    "ExpiredToken": ("the credentials have expired", "Renew them"),
    "RequestTimeTooSkewed": (
        "this machine's clock and the server's differ too much",
        "Set the clock, and have it kept by NTP",
    ),
    "PermanentRedirect": ("the bucket is in another region", "Set AWS_REGION to that of the bucket"),
    "InvalidBucketName": ("no bucket can have this name", "Correct RORI_STAGING"),
    "SlowDown": ("it asks us to slow down", "Start again later"),
    "QuotaExceeded": ("it is full", "Raise the quota of the bucket"),
}
#: The same, in other words: an answer without a body has its status only.
_ALSO = {
    "403": "AccessDenied",
    "Forbidden": "AccessDenied",
    "AllAccessDisabled": "AccessDenied",
    "InvalidToken": "InvalidAccessKeyId",
    "ExpiredTokenException": "ExpiredToken",
    "TokenRefreshRequired": "ExpiredToken",
    "RequestExpired": "RequestTimeTooSkewed",
    "301": "PermanentRedirect",
    "400": "PermanentRedirect",  # of a HEAD to another region
    "TemporaryRedirect": "PermanentRedirect",
    "AuthorizationHeaderMalformed": "PermanentRedirect",
    "IllegalLocationConstraintException": "PermanentRedirect",
    "503": "SlowDown",
    "ServiceUnavailable": "SlowDown",
    "RequestLimitExceeded": "SlowDown",
    "XMinioStorageFull": "QuotaExceeded",
    "413": "QuotaExceeded",
}
#: botocore's own errors; the first that fits.
_UNSAID: tuple[tuple[tuple[type[Exception], ...], str, str], ...] = (
    ((aws.NoCredentialsError, aws.PartialCredentialsError), "there are no credentials", _KEYS),
    ((aws.CredentialRetrievalError, aws.TokenRetrievalError, aws.SSOError), "the credentials cannot be read", _KEYS),
    ((aws.ProfileNotFound, aws.ConfigParseError, aws.ConfigNotFound), "the AWS configuration is wrong", _KEYS),
    (
        (aws.SSLError,),
        "no secure connection",
        "Check AWS_ENDPOINT_URL, and AWS_CA_BUNDLE if its certificate is its own",
    ),
    (
        (aws.ConnectTimeoutError, aws.EndpointConnectionError, aws.ProxyConnectionError),
        "it cannot be reached",
        "Check the network and AWS_ENDPOINT_URL",
    ),
    ((aws.ReadTimeoutError,), f"it did not answer within {READ_S:.0f} s, {TRIES} times", _LATER),
    (
        (aws.HTTPClientError, aws.ResponseStreamingError, aws.IncompleteReadError),
        "the connection broke, again and again",
        "Look after network and server, and start again",
    ),
    ((aws.InvalidRegionError, aws.NoRegionError, aws.UnknownRegionError), "the region is wrong", "Set AWS_REGION"),
)


@contextmanager
def explained(location: str, endpoint: Callable[[], str], *, missing_is_fine: bool = False) -> Iterator[None]:
    """Turn botocore's errors into a StagingError; with *missing_is_fine* a missing key is FileNotFoundError."""
    try:
        yield
    except ClientError as error:
        if missing_is_fine and code_of(error) in MISSING:
            raise FileNotFoundError(f"{location} has no such key") from error
        raise StagingError(_sentence(location, endpoint(), *_answered(error))) from error
    except (BotoCoreError, ValueError) as error:  # ValueError: an endpoint that is no URL
        raise StagingError(_sentence(location, endpoint(), *_unanswered(error))) from error


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _answered(error: ClientError) -> tuple[str, str]:
    code, said = code_of(error), error.response.get("Error", {}).get("Message", "")
    action = f"{error.operation_name}: {code}"
    if known := _SAID.get(_ALSO.get(code, code)):
        return f"{known[0]} ({action})", known[1]
    return f"it refused ({action}{': ' if said else ''}{said})", _LATER


def _unanswered(error: Exception) -> tuple[str, str]:
    for kinds, what, remedy in _UNSAID:
        if isinstance(error, kinds):
            return what, remedy
    if isinstance(error, ValueError):
        return f"its address is wrong: {error}", "Correct AWS_ENDPOINT_URL"
    return f"its answer is not that of S3 ({type(error).__name__})", "Check AWS_ENDPOINT_URL"


def _sentence(location: str, endpoint: str, what: str, remedy: str) -> str:
    return f"The staging area {location} (at {endpoint}) failed: {what}. {remedy}."
