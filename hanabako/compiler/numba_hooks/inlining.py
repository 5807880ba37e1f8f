"""Compiling rules four times as fast, by making no machine code for functions that are always inlined.

Numba makes a library of every function that it compiles: it links in all functions that this one calls, optimises the
whole and emits machine code. It does so again at every level of nesting. A rule (see `hanabako.compiler.jit`) only ever
runs inlined in a loop, so that work is wasted. Here a rule's library holds only the function's own code, and the loop
that calls it links the parts together and optimises them once.

The entry is ``pipeline_class``, which Numba documents for extensions. `RuleLibrary` also uses a few of Numba's private
names. If one of them is missing, Numba compiles the rules in its usual way: more slowly, into the same loops.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder

__all__ = ["RuleCompiler", "RuleLibrary"]

NUMBAS_OWN = (
    "_codegen",
    "_ensure_finalized",
    "_finalized",
    "_get_module_for_linking",
    "_linking_libraries",
    "_raise_if_finalized",
    "_reload_init",
)
"""Attributes that a library must have for `RuleLibrary` to work."""

ENVIRONMENT = "_ZN08NumbaEnv"
"""The prefix of variables that point compiled code to its Python objects. Rules have no such objects."""


class RuleLibrary(JITCodeLibrary):
    """A rule's own code and the libraries of the functions that it calls, not linked, optimised or emitted."""

    def finalize(self) -> None:
        """Close the library and set ``parts``: this library and, without repetition, all libraries that it needs."""
        self._raise_if_finalized()
        self.parts: dict[JITCodeLibrary, None] = {self: None}
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
            self.parts.update(library.parts if isinstance(library, RuleLibrary) else {library: None})
        self._finalized = True

    def own_module(self) -> Any:
        """Return the LLVM module of this rule alone, for linking into others."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """Return the module that a loop links in: this rule and all functions that it calls."""
        self._ensure_finalized()
        whole = self.own_module().clone()
        for part in self.parts:
            if part is not self:
                module = part.own_module() if isinstance(part, RuleLibrary) else part._get_module_for_linking()
                whole.link_in(module, preserve=True)
        for variable in whole.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                variable.linkage = "linkonce_odr"  # lets LLVM remove the unused variable
        return whole

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: symbols have no address before machine code is emitted."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """The object whose `set_env` Numba calls: this library."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: environments serve Python objects, and rules have none."""


class RuleCompiler(CompilerBase):
    """Numba's compiler with its usual passes, lowering to a `RuleLibrary`."""

    def define_pipelines(self) -> list[Any]:
        """Return the pass managers to try: Numba's own one."""
        state = self.state
        codegen = state.targetctx.codegen()
        if isinstance(codegen, JITCPUCodegen):
            library = RuleLibrary(codegen, state.func_id.func_qualname)
            if all(hasattr(library, name) for name in NUMBAS_OWN):
                state.library = library
        return [DefaultPassBuilder.define_nopython_pipeline(state)]
