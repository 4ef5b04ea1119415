"""The paper's experiments: data, and a function that runs them."""
