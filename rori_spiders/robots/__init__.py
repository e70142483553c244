"""What a robots.txt answer means for us (RFC 9309). Steps: bytes in, judgement out.

* `read`: an answer of a server; `unreachable`: none. Both give a `RobotsFile`: what may be asked, how fast, what else.
* groups.py finds the records that speak to us, paths.py says which paths they close, pace.py how long to wait.
"""

from rori_spiders.robots.answers import MAX_BYTES, RobotsFile, read, unreachable

__all__ = ["MAX_BYTES", "RobotsFile", "read", "unreachable"]
