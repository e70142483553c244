"""The queue of jobs that all nodes share, and the leases by which one job at a time asks a group of servers."""
