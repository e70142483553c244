"""A pool of processes for conversion and judging, so that the event loop is left to the network.

Small bodies are worked on in place: a round trip to a process costs more than they do. Of large bodies one is worked
on at a time, in a process of its own that may take more memory, and ends when it keeps what it took; so all processes
of a job together stay under half a gigabyte. The processes are spawned on first use, can be killed one by one, ignore
Ctrl-C (their parent decides), and end with their parent even when it is killed.
"""

from rori_spiders.pool.sizes import IN_PLACE_BYTES, LARGE_BYTES, LARGE_MEMORY_BYTES, SMALL_MEMORY_BYTES
from rori_spiders.pool.work import WorkPool

__all__ = ["IN_PLACE_BYTES", "LARGE_BYTES", "LARGE_MEMORY_BYTES", "SMALL_MEMORY_BYTES", "WorkPool"]
