"""What happens in a study: questions asked, answers told, options added."""
