"""Stored bytes converted again: what differs is a finding only where converter and options are those of then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.exceptions import ConversionError
from rori_spiders.ledger.tables import versions
from rori_spiders.staging.verification.selection import Sample, VerificationScope
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON
from tests.staging.job_driver import SOURCE, Job

if TYPE_CHECKING:
    from rori_spiders.staging.verification.verify import VerificationReport


class HeadingConverter:
    """Converts as the pages of the driver are converted, or otherwise."""

    processes = 2

    def __init__(self, prefix: str = "# ", manifest: str | None = "1.0.0") -> None:
        self._prefix, self._manifest = prefix, manifest

    def manifest_version(self, source_id: str) -> str | None:
        return self._manifest if source_id == SOURCE else None

    def converter_version(self, _: str) -> str:
        return CONVERTER_VERSION

    def convert(self, source_id: str, tier: str, received: bytes, content_type: str | None, url: str) -> str:
        if not self._prefix:
            raise ConversionError("it is torn")
        return f"{self._prefix}{received.decode()}\n"


@pytest.fixture
def done(job: Job) -> Job:
    """Two pages, by the converter of today."""
    job.work()
    with job.ledger.begin() as conn:
        conn.execute(update(versions).values(converter_version=CONVERTER_VERSION))
    return job


def _verify(job: Job, converter: HeadingConverter, scope: VerificationScope | None = None) -> VerificationReport:
    return verify_staging(job.ledger, job.store, now=NOON, converter=converter, scope=scope)


def _differing(report: VerificationReport) -> list[str]:
    return [one.sentence for one in report.findings if one.kind == "conversion_differs"]


def test_check_conversions_of_the_same_texts_finds_nothing(done: Job) -> None:
    report = _verify(done, HeadingConverter())
    assert _differing(report) == []
    assert report.counts["texts_reconverted"] == 2
    assert "texts_reconverted" not in verify_staging(done.ledger, done.store, now=NOON).counts


def test_check_conversions_of_another_text_names_converter_and_manifest(done: Job) -> None:
    same = f"converter {CONVERTER_VERSION}, with the options of manifest 1.0.0, makes of its bytes"
    assert _differing(_verify(done, HeadingConverter("## "))) == [f"{same} another text"] * 2
    assert _differing(_verify(done, HeadingConverter(""))) == [f"{same} no text: it is torn"] * 2


def test_check_conversions_by_another_converter_is_no_finding(done: Job) -> None:
    with done.ledger.begin() as conn:
        conn.execute(update(versions).values(converter_version="0"))
    report = _verify(done, HeadingConverter("## "))
    assert _differing(report) == []
    assert report.counts["texts_of_another_converter"] == 2


@pytest.mark.parametrize(("manifest", "count"), [("2.0.0", "texts_of_another_manifest"), (None, "texts_not_converted")])
def test_check_conversions_of_another_manifest_is_no_finding(done: Job, manifest: str | None, count: str) -> None:
    report = _verify(done, HeadingConverter("## ", manifest))
    assert _differing(report) == []
    assert report.counts[count] == 2


def test_check_conversions_of_a_sample_counts_what_it_converted(done: Job) -> None:
    report = _verify(done, HeadingConverter("## "), VerificationScope(Sample(count=1)))
    assert len(_differing(report)) == 1
    assert report.sampled["texts"] == (1, 2)
