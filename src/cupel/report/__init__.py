"""What people look at: charts, the HTML report, and the papers' tables beside our own numbers."""
