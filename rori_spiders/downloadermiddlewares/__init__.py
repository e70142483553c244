"""Downloader middlewares for requests and responses. settings.py has their order, with reasons."""
