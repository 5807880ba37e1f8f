"""Bridges to other people's services, formats and networks.

They import the library. Nothing imports them but their commands, and the registry for its prefixes of names.
"""
