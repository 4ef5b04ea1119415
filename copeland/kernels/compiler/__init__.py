"""How kernels become machine code: copies that call each other, what tells them apart, and where they are kept."""
