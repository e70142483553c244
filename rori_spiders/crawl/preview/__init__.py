"""What a crawl would ask for, without one: the map of a source, the forecast of its next run, online validation of
manifests.
"""
