"""Running the collector: alerts sent to people, metrics for Prometheus, health checks."""
