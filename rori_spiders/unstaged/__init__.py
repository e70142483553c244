"""What spiders share that ask servers outside of runs: nothing is staged, and what was asked is told in ``actions``."""
