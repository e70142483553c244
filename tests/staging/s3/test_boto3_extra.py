"""Without the extra `s3` a bucket is refused in a sentence that names it."""

from __future__ import annotations

import pytest

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.s3 import boto3_extra


def test_require_boto3_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rori_spiders.staging.s3.boto3_extra.find_spec", lambda _: None)
    with pytest.raises(StagingError, match=r"pip install 'rori-collector\[s3\]'"):
        boto3_extra.require_boto3()
