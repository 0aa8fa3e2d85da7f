"""What can be asked of Cupel: one frozen dataclass a question, and the groups of fields they share."""
