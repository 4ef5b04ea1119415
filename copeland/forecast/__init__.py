"""What more votes would bring, from counts alone: plausible worlds, races in them, an outlook."""
