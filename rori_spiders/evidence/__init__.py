"""Evidence for strangers: proofs over the log of facts, its signed heads, and exports that others can open."""
