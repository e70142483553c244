"""Figures from material of public packages that no author of the rules had read before the rules were made.

`packages` names and fetches the packages; `citations`, `verdicts` and `themes` score one measure each. The material is
split by source in two halves: the development half may be read and listed (``-v``), of the sealed half only totals are
printed.
"""
