"""What judges an answer: the release of chapters, nbgrader's settings and the hidden checks."""
