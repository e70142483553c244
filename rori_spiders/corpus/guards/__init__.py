"""Judge a text that a model has cleaned against its draft: nothing changed, lost or added may pass. Steps. Start at
`judgement.py`.
"""
