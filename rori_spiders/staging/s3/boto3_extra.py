"""Imported before anything of S3: a sentence where its package, of 35 MB, is not installed."""

from importlib.util import find_spec

from rori_spiders.exceptions import StagingError


def require_boto3() -> None:
    """Raise StagingError where boto3 is not installed."""
    if find_spec("boto3") is None:
        raise StagingError("A bucket of S3 needs boto3. Run: pip install 'rori-collector[s3]'")


require_boto3()
