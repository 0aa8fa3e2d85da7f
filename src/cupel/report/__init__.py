"""The HTML report: tables, charts and pages."""
