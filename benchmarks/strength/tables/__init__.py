"""Parts of tables shared by several studies: Markdown, cells with errors, ceilings, tournaments."""
