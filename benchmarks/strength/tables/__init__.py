"""Parts of tables that several studies share: Markdown, cells with errors, ceilings, tournaments."""
