"""One crawl: the job of a process, the runs of its sources, the walkers that find URLs, the tiers that fetch them."""
