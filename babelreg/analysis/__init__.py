"""Questions about recorded traffic: sketches of it that merge, and what they say about a registry."""
