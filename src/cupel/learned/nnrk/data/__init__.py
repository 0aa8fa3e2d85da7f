"""What NNRK learns from: judged pairs of translations with their features."""
