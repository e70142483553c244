"""Select the pages of a corpus: by an operator's override, by rules, by a model; each decision has its reason.
Steps.
"""
