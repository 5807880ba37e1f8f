"""The pages of the site, and in `build/` what writes and checks them."""
