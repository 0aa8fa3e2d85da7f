"""What ReVal learns from: similarity scores made of rankings, and SICK."""
