"""Chapter 07's exercises: what is played, in which worlds, and what must be seen."""
