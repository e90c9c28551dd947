"""What runs inside the sandbox beside the child: copied there, so standard library only."""
