"""Describe errors of S3 with what to do about them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from botocore import exceptions as aws
from botocore.exceptions import BotoCoreError, ClientError

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.s3.client import MAX_ATTEMPTS, READ_S

MISSING_CODES = {"404", "NoSuchKey", "NotFound"}
_CREDENTIALS_REMEDY = (
    "Check the AWS credentials of this user (AWS_PROFILE, AWS_ACCESS_KEY_ID, or the role of this machine)"
)
_RETRY_REMEDY = "Check the server, and restart"
#: S3's own codes, what they mean, what to do.
_SENTENCES_BY_CODE = {
    "NoSuchBucket": (
        "the bucket does not exist",
        "Create it, or correct RORI_STAGING; check AWS_REGION and AWS_ENDPOINT_URL",
    ),
    "AccessDenied": ("access denied", "Grant the user the permissions listed in docs/how-to/staging-s3.md"),
    "InvalidAccessKeyId": ("unknown access key", _CREDENTIALS_REMEDY),
    "SignatureDoesNotMatch": ("the secret key does not match the access key", _CREDENTIALS_REMEDY),
    "ExpiredToken": ("the credentials have expired", "Renew them"),
    "RequestTimeTooSkewed": (
        "this machine's clock and the server's differ too much",
        "Set the clock, and synchronise it with NTP",
    ),
    "PermanentRedirect": ("the bucket is in another region", "Set AWS_REGION to that of the bucket"),
    "InvalidBucketName": ("the bucket name is invalid", "Correct RORI_STAGING"),
    "SlowDown": ("the server is throttling requests", "Try again later"),
    "QuotaExceeded": ("the bucket is full", "Raise the quota of the bucket"),
}
#: The same, in other words: an answer without a body has its status only.
_CODE_ALIASES = {
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
_SENTENCES_BY_EXCEPTION: tuple[tuple[tuple[type[Exception], ...], str, str], ...] = (
    ((aws.NoCredentialsError, aws.PartialCredentialsError), "no credentials found", _CREDENTIALS_REMEDY),
    (
        (aws.CredentialRetrievalError, aws.TokenRetrievalError, aws.SSOError),
        "the credentials cannot be read",
        _CREDENTIALS_REMEDY,
    ),
    (
        (aws.ProfileNotFound, aws.ConfigParseError, aws.ConfigNotFound),
        "the AWS configuration is wrong",
        _CREDENTIALS_REMEDY,
    ),
    (
        (aws.SSLError,),
        "the TLS connection failed",
        "Check AWS_ENDPOINT_URL, and AWS_CA_BUNDLE if the certificate is self-signed",
    ),
    (
        (aws.ConnectTimeoutError, aws.EndpointConnectionError, aws.ProxyConnectionError),
        "the server is unreachable",
        "Check the network and AWS_ENDPOINT_URL",
    ),
    (
        (aws.ReadTimeoutError,),
        f"the server did not respond within {READ_S:.0f} s ({MAX_ATTEMPTS} attempts)",
        _RETRY_REMEDY,
    ),
    ((TimeoutError,), "the server did not respond in full in time", _RETRY_REMEDY),
    (
        (aws.HTTPClientError, aws.ResponseStreamingError, aws.IncompleteReadError),
        "the connection broke repeatedly",
        "Check the network and the server, and restart",
    ),
    ((aws.InvalidRegionError, aws.NoRegionError, aws.UnknownRegionError), "the region is wrong", "Set AWS_REGION"),
)


@contextmanager
def explain_s3_errors(location: str, endpoint: Callable[[], str], *, missing_is_fine: bool = False) -> Iterator[None]:
    """Turn botocore's errors into a StagingError; with *missing_is_fine* a missing key is FileNotFoundError."""
    try:
        yield
    except ClientError as error:
        if missing_is_fine and error_code(error) in MISSING_CODES:
            raise FileNotFoundError(f"{location} has no such key") from error
        raise StagingError(_format_sentence(location, endpoint(), *_explain_response(error))) from error
    except (BotoCoreError, TimeoutError, ValueError) as error:  # ValueError: an endpoint that is no URL
        raise StagingError(_format_sentence(location, endpoint(), *_explain_no_response(error))) from error


def error_code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _explain_response(error: ClientError) -> tuple[str, str]:
    code, message = error_code(error), error.response.get("Error", {}).get("Message", "")
    action = f"{error.operation_name}: {code}"
    if known := _SENTENCES_BY_CODE.get(_CODE_ALIASES.get(code, code)):
        return f"{known[0]} ({action})", known[1]
    return f"the server refused the request ({action}{(': ' if message else '')}{message})", _RETRY_REMEDY


def _explain_no_response(error: Exception) -> tuple[str, str]:
    for kinds, what, remedy in _SENTENCES_BY_EXCEPTION:
        if isinstance(error, kinds):
            return what, remedy
    if isinstance(error, ValueError):
        return f"the address is invalid: {error}", "Correct AWS_ENDPOINT_URL"
    return f"the server does not speak S3 ({type(error).__name__})", "Check AWS_ENDPOINT_URL"


def _format_sentence(location: str, endpoint: str, what: str, remedy: str) -> str:
    return f"The staging area {location} (at {endpoint}) failed: {what}. {remedy}."
