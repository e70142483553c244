"""The errors that this project raises on purpose.

* RoriError
    x UsageError            bad options or arguments (exit 2)
      + PublishingRefused   a version of a corpus that may not be published, or not so; nothing was begun
    x ManifestError         one or more problems in a manifest, all of them listed (exit 2)
    x AddressRefused        a URL whose host is not public
    x ConversionError       a body that cannot be turned into text
      + UnreadableDocument  broken, encrypted or empty
      + ConversionTimeout   took longer than it may
      + ConversionCrashed   the converting process died
    x WriteError            nothing can be written (exit 3)
      + LedgerError         the database is locked, missing, broken, or of another version
      + StagingError        the staging area is missing, full or not writable
        + DamagedObject     an object that is there, with other bytes than its name says
    x LeaseLost             this job's right to ask a group's servers has ended
    x JobStopped            work that a stop cut short
    x ScraperError          fields could not be drawn from pages (S2)
      + ConfigError         definitions or settings that cannot be (exit 2)
      + ExtractionError     a model brought no answer, or none that can be read
      + AllKeysExhaustedError  every key of a model's server was refused
      + FetchError          pages could not be fetched
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class RoriError(Exception):
    """Base of all. Its text is meant for the person at the terminal."""

    exit_code = 1


class UsageError(RoriError):
    """Raised by commands for options and arguments that they do not know or cannot use."""

    exit_code = 2


class PublishingRefused(UsageError):
    """Raised before anything of a version is written. ``problems``: all that were found, in sentences."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class ManifestError(RoriError):
    """Raised by the manifest room with *every* problem found; nothing was activated or fetched.

    ``problems`` holds one line a problem: file, source id, JSON path, what was expected.
    """

    exit_code = 2

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class AddressRefused(RoriError):
    """Raised for a URL whose host is, or resolves to, an address that is not public and not allowed by name."""


class ConversionError(RoriError):
    """Raised by the content room; the page fails, its raw bytes are kept, the run goes on."""

    reason = "conversion_failed"


class UnreadableDocument(ConversionError):
    """Raised for a document that is broken, encrypted, or holds no text."""

    reason = "unreadable_document"


class ConversionTimeout(ConversionError):
    """Raised by the pool when a conversion took longer than it may; its process was killed."""

    reason = "conversion_timeout"


class ConversionCrashed(ConversionError):
    """Raised by the pool when the converting process died twice on the same page."""

    reason = "conversion_crashed"


class WriteError(RoriError):
    """Base of what stops a job because nothing can be recorded."""

    exit_code = 3


class LedgerError(WriteError):
    """Raised when the ledger cannot be opened, written, or is of a newer version than this program."""


class StagingError(WriteError):
    """Raised when the staging area cannot be written; nothing was recorded as staged."""


class DamagedObject(StagingError):
    """Raised for a kept object whose bytes have another hash than its name, or cannot be unpacked."""


class LeaseLost(RoriError):
    """Raised when a write or a request is tried after this job's lease on a group has ended or been taken over."""


class JobStopped(RoriError):
    """Raised in what is under way when a job that stops has waited for it long enough; the URL stays pending."""


class ScraperError(RoriError):
    """Base of what goes wrong while fields are drawn (S2). ``details`` says more: a URL, a status, an answer."""

    def __init__(self, message: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = dict(details or {})


class ConfigError(ScraperError):
    """Raised for definitions of fields and settings that cannot be, every problem named, before anything is asked."""

    exit_code = 2


class FetchError(ScraperError):
    """Raised when pages cannot be fetched for a program: its process does not start, ends, or refuses the address."""


class ExtractionError(ScraperError):
    """Raised when a model brought no answer for a page: that page fails, with ``reason``, and the others go on.

    *passing*: asking again may better it. *charged*: the call may have been paid for.
    """

    def __init__(
        self,
        message: str,
        details: Mapping[str, object] | None = None,
        *,
        reason: str = "extraction_failed",
        passing: bool = False,
        charged: bool = False,
    ) -> None:
        super().__init__(message, details)
        self.reason = reason
        self.passing = passing
        self.charged = charged


class AllKeysExhaustedError(ScraperError):
    """Raised when every key of a model's server was refused, or rests; ``details["rest_s"]`` says for how long."""

    reason = "llm_keys_exhausted"
