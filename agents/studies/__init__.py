"""Studies: results that grow row by row, and the pages that show them."""
