"""What ReVal is: two trees encoded by one Tree-LSTM, and a head that compares the vectors."""
