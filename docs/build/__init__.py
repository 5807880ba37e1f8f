"""What writes the generated parts of pages, and the site."""
