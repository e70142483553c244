"""Ground the answers of a model: an answer becomes a value only with an exact quote from the page that supports it.
Start at `ground()` in `evidence.py`. Steps.
"""
