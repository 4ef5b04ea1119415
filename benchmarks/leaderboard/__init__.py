"""Problems x algorithms: who plays whom, what comes of it, and the page."""
