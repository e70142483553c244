"""What must not be seen, and how it is kept out of all that is logged, stored, staged or shown."""

from rori_spiders.redaction.redactor import (
    MASK,
    Redactor,
    holds,
    holds_credentials,
    names_secret_header,
    of_process,
    without_credential_parameters,
)

__all__ = [
    "MASK",
    "Redactor",
    "holds",
    "holds_credentials",
    "names_secret_header",
    "of_process",
    "without_credential_parameters",
]
