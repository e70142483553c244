"""One collection of one source: its state (`run.py`), its start and end (`lifecycle.py`, `outcome.py`), what is
recorded of each URL (`recorder.py`), and acceptance of held pages (`review_holds/`).
"""
