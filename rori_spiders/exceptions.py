"""The errors that this project raises on purpose.

* RoriError
    x UsageError            bad options or arguments (exit 2)
      + UnknownName         a job, run, source, ... that does not exist
      + ActionRefused       an action that the present state of a run, job, source, ... does not allow
        - PackageMissing    a package of an extra is not installed
        - ProjectMissing    a relative place, and no scrapy.cfg in this folder or above
        - PublishingRefused a corpus version that may not be published as requested; nothing was written
    x ManifestError         one or more problems in a manifest, all of them listed (exit 2)
    x AddressRefused        a URL whose host is not public
    x ConversionError       a body that cannot be turned into text
      + UnreadableDocument  broken, encrypted or empty
      + ConversionTimeout   took longer than it may
      + ConversionCrashed   the converting process died
    x WriteError            nothing can be written (exit 3)
      + LedgerError         the database is locked, missing, broken, or of another version
      + StagingError        the staging area is missing, full or not writable
        + DamagedObject     a stored object whose bytes do not match its hash
    x LeaseLost             this job's lease on a group expired or was taken over
    x JobStopped            work cancelled because the job is stopping
    x ScraperError          fields could not be extracted from pages (S2)
      + ConfigError         invalid field definitions or settings (exit 2)
      + ExtractionError     a model returned no answer, or an unreadable one
      + AllKeysExhaustedError  every key of a model's server was refused
      + FetchError          pages could not be fetched
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

#: What the exit code of a command means.
EXIT_CODES = {
    0: "done",
    1: (
        "some sources failed, were locked by another job, or are unfinished; a check found problems (`verify`, "
        "`doctor`); a record was damaged (`import`); or it was stopped (Ctrl-C)"
    ),
    2: "invalid arguments, settings or manifest, an unknown name, or a refused action; nothing was fetched or changed",
    3: (
        "the ledger or the staging area is locked, missing, broken or of a newer version, so nothing could be read or "
        "written"
    ),
}


class RoriError(Exception):
    """Base of all. Its text is meant for the person at the terminal."""

    exit_code = 1
    #: The place in the documentation that says what to do; None: the sentence itself does.
    page: str | None = None


def describe_error(error: RoriError) -> str:
    """What a terminal shows of *error*: its sentence, and where the documentation says more."""
    return str(error) if error.page is None or error.page in str(error) else f"{error}\nMore: {locate_page(error.page)}"


def locate_page(page: str) -> str:
    """Where *page* of the documentation lies: in the installed package, or in the checkout (there as it is named)."""
    package = Path(__file__).parent
    root = package if (package / "docs").is_dir() else package.parent  # a wheel has them in the package
    is_here = root == Path.cwd() or not (root / "docs").is_dir()
    return page if is_here else f"{root}/{page}"


class UsageError(RoriError):
    """Raised by commands for unknown or invalid options and arguments."""

    exit_code = 2


class UnknownName(UsageError):
    """Raised by commands for an id or name that does not exist; the command line itself is valid."""


class ActionRefused(UsageError):
    """Raised for an action that the present state does not allow; the command line itself is valid."""


class PackageMissing(ActionRefused):
    """Raised for what needs a package of an extra that is not installed."""

    page = "docs/how-to/troubleshooting.md#a-package-is-missing"


class ProjectMissing(ActionRefused):
    """Raised for a relative place in a folder that belongs to no project."""

    page = "docs/how-to/troubleshooting.md#there-is-no-project-here"


class PublishingRefused(ActionRefused):
    """Raised before anything of a version is written. ``problems``: all that were found, in sentences."""

    page = "docs/explanation/corpus.md#publish"

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class ManifestError(RoriError):
    """Raised for an invalid manifest, with *every* problem found; nothing was activated or fetched.

    ``problems`` holds one line a problem: file, source id, JSON path, what was expected.
    """

    exit_code = 2
    page = "docs/how-to/troubleshooting.md#the-manifest-is-refused"

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class AddressRefused(RoriError):
    """Raised for a URL whose host is, or resolves to, an address that is not public and not allowed by name."""

    page = "docs/how-to/troubleshooting.md#a-private-address-is-refused"


class ConversionError(RoriError):
    """Raised when a body cannot be converted; the page fails, its raw bytes are kept, the run continues."""

    reason = "conversion_failed"


class UnreadableDocument(ConversionError):
    """Raised for a document that is broken, encrypted, or holds no text."""

    reason = "unreadable_document"


class ConversionTimeout(ConversionError):
    """Raised when a conversion exceeds its time limit; its process was killed."""

    reason = "conversion_timeout"


class ConversionCrashed(ConversionError):
    """Raised when the conversion process died twice on the same page."""

    reason = "conversion_crashed"


class WriteError(RoriError):
    """Base of what stops a job because nothing can be recorded."""

    exit_code = 3


class LedgerError(WriteError):
    """Raised when the ledger cannot be opened or written, or is newer than this program."""

    page = "docs/reference/ledger.md#error-messages"


class StagingError(WriteError):
    """Raised when the staging area cannot be written; nothing was recorded as staged."""

    page = "docs/how-to/troubleshooting.md#the-staging-area-cannot-be-used"


class DamagedObject(StagingError):
    """Raised for a stored object whose bytes do not match its hash, or cannot be decompressed."""

    page = "docs/reference/envelope.md#what-a-crash-leaves"


class LeaseLost(RoriError):
    """Raised for a write or a request after this job's lease on a group expired or was taken over."""

    page = "docs/how-to/troubleshooting.md#a-source-is-locked"


class JobStopped(RoriError):
    """Raised in work still running when a stopping job has waited long enough; the URL stays pending."""


class ScraperError(RoriError):
    """Base of errors of field extraction (S2). ``details``: a URL, a status, an answer."""

    def __init__(self, message: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = dict(details or {})


class ConfigError(ScraperError):
    """Raised for invalid field definitions and settings, naming every problem, before anything is requested."""

    exit_code = 2
    page = "docs/explanation/fields.md#definitions"


class FetchError(ScraperError):
    """Raised when pages cannot be fetched: the process does not start, exits, or refuses the address."""


class ExtractionError(ScraperError):
    """Raised when a model returned no answer for a page: that page fails with ``reason``, the others continue.

    *passing*: a retry may succeed. *charged*: the call may have been paid for.
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
    """Raised when every key of an LLM provider was refused or is cooling down, for ``details["rest_s"]`` seconds."""

    page = "docs/explanation/fields.md#the-model"

    reason = "llm_keys_exhausted"
