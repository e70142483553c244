"""Conventions of the REST API: error responses, request parameters, base schemas."""
