"""Processes for conversion and judging. `pool.py` is what the program calls; `worker.py` runs inside of them."""
