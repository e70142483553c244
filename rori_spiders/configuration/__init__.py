"""Our own settings, ``RORI_*``: what each may be, where its value came from, and what is wrong with it. Steps.

``table`` lists them with their values; ``environment`` reads one for ``settings.py``; ``settling`` checks them all,
whoever set them, and gives them their types.
"""
