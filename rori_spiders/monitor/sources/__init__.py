"""Sources: the list with statuses and alerts, one source in detail, its costs."""
