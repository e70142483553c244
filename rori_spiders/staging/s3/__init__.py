"""The staging area in a bucket of S3, or of a server that speaks its protocol."""

from rori_spiders.staging.s3 import boto3_extra  # first: it says what is missing
from rori_spiders.staging.s3.store import S3Store

__all__ = ["S3Store", "boto3_extra"]
