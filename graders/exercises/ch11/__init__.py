"""Chapter 11's project: six requirements, each an exercise over all that a student has built."""
