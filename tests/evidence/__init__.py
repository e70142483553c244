"""Tests of the evidence: proofs, signed heads, exports."""
