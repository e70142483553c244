"""Running the collector: what operators do, alerts sent to people, metrics for Prometheus, health checks."""
