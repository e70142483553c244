"""Send signed heads to where the operator says (RORI_EVIDENCE_HEADS): outside copies, timestamps, witnesses."""
