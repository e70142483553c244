"""Files of the site that are the same for any text: robots.txt, the style sheet, the seal."""

from rori_spiders.demo.pages.furniture import BASE

ROBOTS = f"""# Programs are welcome, but not to drafts and search results.
User-agent: *
Disallow: /drafts/
Disallow: /search/

Sitemap: {BASE}/sitemap.xml
""".encode()
CSS = b"""body { font: 17px/1.5 Georgia, serif; margin: 0; color: #1b1b1b; }
.gov-banner, .site-header, .site-footer { background: #f0f0f0; padding: .5em 2em; font-family: sans-serif; }
.wrapper { max-width: 62em; margin: auto; padding: 1em 2em; }
.main-menu ul, .breadcrumbs ol { list-style: none; display: flex; gap: 1.5em; padding: 0; }
.skip-link { position: absolute; left: -99em; }
.level-2 { margin-left: 2em; } .level-3 { margin-left: 4em; } .level-4 { margin-left: 6em; }
table { border-collapse: collapse; } th, td { border: 1px solid #999; padding: .2em .6em; text-align: left; }
.sidebar { border-top: 1px solid #999; margin-top: 2em; font-size: 85%; }
.cookie-notice { position: fixed; bottom: 0; width: 100%; background: #112e51; color: #fff; padding: 0 2em; }
"""
SEAL = b"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
<circle cx="20" cy="20" r="18" fill="#112e51"/>
</svg>
"""
