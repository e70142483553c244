"""The ledger: tables, migrations, runs, frontier, history, leases, audit; on real SQLite files, in real processes."""
