"""Who is how good: games among agents, studies, scoreboards."""
