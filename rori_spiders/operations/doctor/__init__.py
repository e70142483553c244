"""`scrapy doctor`: check each part that a collection needs, and say what to do about it. Read-only, but for what
the model's one answer costs. A check is a function of CheckContext that yields CheckResults; `check_runner` runs
them all.
"""
