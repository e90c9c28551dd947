"""The worlds that agents work in: data, tools and requests. Each is a package of its own."""
