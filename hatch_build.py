"""Where things lie in a wheel: the folder ``agents`` inside ``hanabako``, so that nothing generic is at top level."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AgentsInside(BuildHookInterface):
    """Maps ``agents`` to ``hanabako/agents``. An editable install needs no map: see ``hanabako/clone.py``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the map to a wheel that carries files."""
        if version != "editable":
            build_data["force_include"][str(Path(self.root) / "agents")] = "hanabako/agents"
