"""The `browser` tier: pages rendered by Chromium, for text that only scripts write. Nothing is disguised.

`tier.py` is the tier; `egress.py` is the browser's only way out; `watch.py` guards one page; `settling.py` waits until
it is ready; `chromium.py` knows the program and its processes; `renderer.py` is scrapy-playwright as we use it.
"""
