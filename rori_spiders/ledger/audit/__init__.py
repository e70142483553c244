"""The audit in the ledger, and what is read from it: failures, their resolutions, and the lines of the error log."""
