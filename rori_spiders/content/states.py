"""The words by which an agency says what has become of a rule, as a pattern."""

STATES = (
    "stayed|rescinded|withdrawn|repealed|superseded|vacated|enjoined|revoked|suspended|expired|reserved|terminated"
    "|(?:no longer|not yet) (?:in )?(?:effect|effective)"
)
