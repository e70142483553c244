"""Queue, cancel, pause and resume; the activity log; and the processes of jobs that this machine runs."""
