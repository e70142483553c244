"""The ASGI application: its routers, OpenAPI document, built page and web server."""
