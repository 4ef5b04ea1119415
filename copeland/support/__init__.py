"""What every part of the package may use: files, text, random numbers, specs, progress."""
