"""One file a metric. Each registers itself by name; adding one touches its own file only."""
