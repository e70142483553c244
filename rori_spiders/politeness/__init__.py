"""Politeness towards servers: robots.txt, delays between requests, retries and Retry-After."""
