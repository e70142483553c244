"""What the ledger records for the people who operate the collector: source status, alerts, activity, manifests,
users, costs and reports.
"""
