"""`make site`: the course as pages of a static host, with Sphinx and MyST-NB, built offline."""
