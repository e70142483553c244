"""What was staged is announced to a web hook: signed, at least once, in the order of staging, also after a crash.

``hook.py`` speaks to the receiver, ``delivering.py`` empties what the ledger has waiting, ``thread.py`` does so beside
a job. The address is the operator's own: the rules for addresses of pages do not hold for it.
"""
