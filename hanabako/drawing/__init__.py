"""Pictures as SVG, their letters, terminal colors, and the replay page."""
