"""Pictures as SVG, their letters, and the replay page."""
