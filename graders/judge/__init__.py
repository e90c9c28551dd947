"""The judge: plays a student's definition in a world it owns, and reads the verdict off the log."""
