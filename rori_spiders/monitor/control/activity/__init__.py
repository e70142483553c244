"""Running and queued jobs, as a snapshot and as server-sent events."""
