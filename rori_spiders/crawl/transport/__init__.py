"""Scrapy's downloader, fitted: one slot a politeness group, a queue that holds groups back, the download handler of
the tiers, and a resolver that refuses addresses that are not public.
"""
