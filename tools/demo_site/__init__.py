"""Builds the demo site from GPO's XML: the same files, byte for byte, on any machine and on any day.

In: `sources/*.xml.gz`. Out: path -> bytes of every file of the site (`site.build_site_files`), which
`rori_spiders/terminal/demo/site/` holds.
"""
