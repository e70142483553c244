"""Where heads are sent: the words of RORI_EVIDENCE_HEADS, each a URL, as destinations."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from rori_spiders.evidence.delivery.base import CopyDestination, ReceiptDestination
from rori_spiders.evidence.delivery.copies import FileDestination, WebhookDestination
from rori_spiders.evidence.delivery.receipts import TimestampDestination, WitnessDestination
from rori_spiders.evidence.signed_notes import COSIGNATURE, NoteError, VerifierKey, parse_verifier_key
from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.staging.webhook.client import SECRET_VARIABLE, WebhookClient

SETTING = "RORI_EVIDENCE_HEADS"
_VALUES = (
    "`file:///path`, `s3://bucket/prefix`, `https://...` (a webhook), `rfc3161+https://...` (a timestamp authority) "
    "or `witness+https://...#KEY`"
)


def parse_destinations(
    words: str, *, retention_days: int, environment: Mapping[str, str] = os.environ
) -> list[CopyDestination | ReceiptDestination]:
    """The destinations that *words*, separated by commas, name. Raises UsageError for one that is none."""
    found: list[CopyDestination | ReceiptDestination] = []
    for word in split_destinations(words):
        scheme = check_destination(word)
        if scheme == "file":
            found.append(FileDestination(Path(unquote(urlsplit(word).path))))
        elif scheme == "s3":
            from rori_spiders.evidence.delivery.bucket_copies import BucketDestination  # boto3 takes 0.4 s to import

            found.append(BucketDestination(word, retention_days))
        elif scheme.startswith("rfc3161+"):
            found.append(TimestampDestination(_shown(word, scheme), word.partition("+")[2]))
        elif scheme.startswith("witness+"):
            url, key = urldefrag(word.partition("+")[2])
            found.append(WitnessDestination(_shown(word, scheme), url, parse_verifier_key(key)))
        else:
            hook = WebhookClient.from_settings(word, environment, setting=SETTING, variable=SECRET_VARIABLE)
            assert hook is not None
            found.append(WebhookDestination(_shown(word, scheme), hook))
    return found


def list_destination_names(words: str) -> list[str]:
    """The names of the destinations that *words* name; those that are none are left out."""
    names = []
    for word in split_destinations(words):
        try:
            scheme = check_destination(word)
        except UsageError:
            continue
        if scheme == "file":
            names.append(f"file://{unquote(urlsplit(word).path)}")
        elif scheme == "s3":
            from rori_spiders.staging.s3.client import parse_s3_uri

            names.append(str(parse_s3_uri(word)))
        else:
            names.append(_shown(word, scheme))
    return names


def _shown(word: str, scheme: str) -> str:
    """The name of a destination with a server of its own; the key of a witness is not part of it."""
    return show_url(urldefrag(word)[0] if scheme.startswith("witness+") else word)


def witness_keys(words: str) -> tuple[VerifierKey, ...]:
    """The keys of the witnesses that *words* name."""
    named = [word for word in split_destinations(words) if urlsplit(word).scheme.startswith("witness+")]
    return tuple(parse_verifier_key(urldefrag(word)[1]) for word in named)


def split_destinations(words: str) -> list[str]:
    """The single words of the setting."""
    return [word.strip() for word in words.split(",") if word.strip()]


def check_destination(word: str) -> str:
    """The scheme of one destination. Raises UsageError, which is a ValueError's sentence for ``setting_types``."""
    parts = urlsplit(word)
    schemes = {"https", "http", "rfc3161+https", "rfc3161+http", "witness+https", "witness+http"}
    if parts.scheme == "file" and parts.path.startswith("/") and not parts.netloc:
        return parts.scheme
    if parts.scheme in schemes and parts.hostname:
        if parts.scheme.startswith("witness+"):
            _check_witness_key(word)
        return parts.scheme
    if parts.scheme == "s3":
        from rori_spiders.staging.s3.client import parse_s3_uri

        try:
            parse_s3_uri(word)
        except StagingError:
            pass
        else:
            return parts.scheme
    raise UsageError(f"{SETTING}: {show_url(word)!r} is not a destination of heads. It must be {_VALUES}.")


def _check_witness_key(word: str) -> None:
    try:
        is_cosigning = parse_verifier_key(urldefrag(word)[1]).kind == COSIGNATURE
    except NoteError:
        is_cosigning = False
    if not is_cosigning:
        raise UsageError(
            f"{SETTING}: {show_url(word)!r} must end with `#` and the witness's key for cosignatures, NAME+HASH+BASE64."
        )


def show_url(url: str) -> str:
    """*url* without user, password and query; of a webhook also without its path, which may be a secret.

    A hash tells two paths on one server apart.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"}:
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    if parts.path in {"", "/"} and not parts.query:
        return place
    return f"{place}/...{sha256(url.encode()).hexdigest()[:8]}"
