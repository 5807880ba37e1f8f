"""Networks of Hanabi that others have published: loaders of their files, which do not ship, and the seats they take."""
