"""How well does a metric agree with people? Correlations, intervals, tests between metrics."""
