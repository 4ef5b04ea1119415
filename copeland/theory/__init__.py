"""What is true of a preference matrix, what theory promises on it, and what theory forbids."""
