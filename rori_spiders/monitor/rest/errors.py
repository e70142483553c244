"""Error responses of the API, all in one form: code, message, details."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from rori_spiders.exceptions import LedgerError, ManifestError, StagingError, UsageError
from rori_spiders.runtime.redacted_output import name_rori

logger = logging.getLogger(__name__)


class SafeJsonResponse(JSONResponse):
    """JSON response that replaces lone surrogates, which UTF-8 cannot encode, by question marks."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


# The form of every error: ``{"error": {"code", "message", "details"}}``.

#: Codes of errors raised by the framework: no route, another method, a body that is not JSON.
_CODES = {400: "invalid_input", 404: "unknown_path", 405: "method_not_allowed", 413: "too_large"}


class ApiError(HTTPException):
    """Raised to answer a request with an error: HTTP status, stable code, and a sentence."""

    def __init__(
        self, status: int, code: str, message: str, *, headers: Mapping[str, str] | None = None, **details: Any
    ) -> None:
        super().__init__(status, message, dict(headers) if headers else None)
        self.code = code
        self.message = message
        self.details = details


def error_response(refused: ApiError) -> SafeJsonResponse:
    """Return the error as a response."""
    error = {"code": refused.code, "message": name_rori(refused.message), "details": refused.details}
    return SafeJsonResponse({"error": error}, refused.status_code, refused.headers)


def invalid_input(problems: Sequence[tuple[str, str]], message: str = "The request is invalid.") -> ApiError:
    """Return 422 with location and message of each problem."""
    return ApiError(
        422, "invalid_input", message, problems=[{"where": where, "message": problem} for where, problem in problems]
    )


def internal_error(error: Exception) -> ApiError:
    """Return 500 for an unforeseen error: its traceback is logged, the response has only its log reference."""
    number = uuid4().hex[:12]
    logger.error("The monitor failed to answer a request; error number %(number)s", {"number": number}, exc_info=error)
    return ApiError(500, "internal", "Internal error. See the monitor's log.", number=number)


def register_error_handlers(app: FastAPI) -> None:
    """Give every error of the app this form."""
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)


def _http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, ApiError):
        return error_response(error)
    code = _CODES.get(error.status_code, "refused")
    return error_response(ApiError(error.status_code, code, str(error.detail), headers=error.headers))


def _validation_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return error_response(invalid_input([(".".join(map(str, one["loc"])), str(one["msg"])) for one in error.errors()]))


def _usage_error(_request: Request, error: Exception) -> Response:
    return error_response(ApiError(409, "refused", str(error)))


def _ledger_error(_request: Request, error: Exception) -> Response:
    message = str(error) if isinstance(error, LedgerError) else "The ledger is unavailable."
    return error_response(ApiError(503, "ledger_unavailable", message))


def _staging_error(_request: Request, error: Exception) -> Response:
    return error_response(ApiError(503, "staging_unavailable", str(error)))


def _manifest_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ManifestError)
    message = "The active manifest is invalid. Run: scrapy manifest validate"
    return error_response(ApiError(503, "manifest_invalid", message, problems=list(error.problems)))


_HANDLERS = {
    HTTPException: _http_error,
    RequestValidationError: _validation_error,
    UsageError: _usage_error,
    LedgerError: _ledger_error,
    SQLAlchemyError: _ledger_error,
    StagingError: _staging_error,
    ManifestError: _manifest_error,
}
