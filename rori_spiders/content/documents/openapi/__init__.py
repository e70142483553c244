"""OpenAPI documents to markdown: overview, endpoints, parameters, schemas."""
