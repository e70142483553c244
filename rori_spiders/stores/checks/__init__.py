"""The checks that ``verification.verify`` is made of, one module for each thing that is looked at."""
