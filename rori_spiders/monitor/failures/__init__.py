"""The error log, and one failure in detail."""
