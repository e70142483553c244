"""The one form in which the API refuses: ``{"error": {"code", "message", "details"}}``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from rori_spiders.exceptions import LedgerError, ManifestError, StagingError, UsageError
from rori_spiders.monitor.replies import Json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request, Response

logger = logging.getLogger(__name__)

#: Codes of refusals that come from the framework: no route, another method, a body that is no JSON.
_CODES = {400: "invalid_input", 404: "unknown_path", 405: "method_not_allowed", 413: "too_large"}


class Refused(HTTPException):
    """Raised wherever a request is answered by no: the status, a stable code, and a sentence for a person."""

    def __init__(
        self, status: int, code: str, message: str, *, headers: Mapping[str, str] | None = None, **details: Any
    ) -> None:
        super().__init__(status, message, dict(headers) if headers else None)
        self.code = code
        self.message = message
        self.details = details


def answer(refused: Refused) -> Json:
    """The refusal as the API gives it."""
    error = {"code": refused.code, "message": refused.message, "details": refused.details}
    return Json({"error": error}, refused.status_code, refused.headers)


def invalid(problems: Sequence[tuple[str, str]], message: str = "What was sent is not as it must be.") -> Refused:
    """422, with where and what of each problem."""
    return Refused(
        422, "invalid_input", message, problems=[{"where": where, "message": said} for where, said in problems]
    )


def internal(error: Exception) -> Refused:
    """What nobody foresaw: the log has it whole, the answer only its number there."""
    number = uuid4().hex[:12]
    logger.error("The monitor failed on a request; number %(number)s", {"number": number}, exc_info=error)
    return Refused(500, "internal", "Something went wrong here. The monitor's log has it.", number=number)


def use_in(app: FastAPI) -> None:
    """Every refusal of the app takes this form."""
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)


def _from_framework(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, Refused):
        return answer(error)
    code = _CODES.get(error.status_code, "refused")
    return answer(Refused(error.status_code, code, str(error.detail), headers=error.headers))


def _wrong_input(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return answer(invalid([(".".join(map(str, one["loc"])), str(one["msg"])) for one in error.errors()]))


def _usage(_request: Request, error: Exception) -> Response:
    return answer(Refused(409, "refused", str(error)))


def _ledger(_request: Request, error: Exception) -> Response:
    message = str(error) if isinstance(error, LedgerError) else "The ledger did not answer."
    return answer(Refused(503, "ledger_unavailable", message))


def _staging(_request: Request, error: Exception) -> Response:
    return answer(Refused(503, "staging_unavailable", str(error)))


def _manifest(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ManifestError)
    message = "The manifest in force is not valid. Run: scrapy manifest validate"
    return answer(Refused(503, "manifest_invalid", message, problems=list(error.problems)))


_HANDLERS = {
    HTTPException: _from_framework,
    RequestValidationError: _wrong_input,
    UsageError: _usage,
    LedgerError: _ledger,
    SQLAlchemyError: _ledger,
    StagingError: _staging,
    ManifestError: _manifest,
}
