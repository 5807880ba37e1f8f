"""Compile the rules four times as fast: nothing is made of a function that is only ever inlined.

Numba makes a library of every function it compiles: it links in all the functions that this one calls, optimises the
whole and emits machine code, at every level of nesting again. Of a rule (see `hanabako.compiler.jit`) only the lines
inside the loops are ever run, so all of that is thrown away. Here a rule's library keeps the function's own code as it
is, and the loop that calls it links the parts together and optimises them once.

The way in is ``pipeline_class``, which Numba documents for its extensions; `RuleLibrary` also leans on a few names that
are Numba's own. If one of them is missing, the rules compile as Numba would have it: more slowly, to the same loops.
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
"""What a library must have for its rule to be left to the loops."""

ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of variables begin that lead compiled code to its Python objects, of which rules have none."""


class RuleLibrary(JITCodeLibrary):
    """A rule's own code and the libraries of all that it calls, neither linked nor optimised nor emitted."""

    def finalize(self) -> None:
        """Nothing can be added anymore; ``parts`` are this library and, each once, all those that it needs."""
        self._raise_if_finalized()
        self.parts: dict[JITCodeLibrary, None] = {self: None}
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
            self.parts.update(library.parts if isinstance(library, RuleLibrary) else {library: None})
        self._finalized = True

    def own_module(self) -> Any:
        """The LLVM module of this rule alone, to be linked into others."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The module that a loop links in: this rule and all that it calls."""
        self._ensure_finalized()
        whole = self.own_module().clone()
        for part in self.parts:
            if part is not self:
                module = part.own_module() if isinstance(part, RuleLibrary) else part._get_module_for_linking()
                whole.link_in(module, preserve=True)
        for variable in whole.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                variable.linkage = "linkonce_odr"  # used nowhere else: gone with the code that it was for
        return whole

    def get_pointer_to_function(self, name: str) -> int:
        """No symbol has an address."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """What Numba asks to fill in a function's environment, which exists in emitted code only."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """An environment serves Python objects; rules have none."""


class RuleCompiler(CompilerBase):
    """Numba's passes, with a `RuleLibrary` to lower to."""

    def define_pipelines(self) -> list[Any]:
        """The pass managers to try: Numba's own one."""
        state = self.state
        codegen = state.targetctx.codegen()
        if isinstance(codegen, JITCPUCodegen):
            library = RuleLibrary(codegen, state.func_id.func_qualname)
            if all(hasattr(library, name) for name in NUMBAS_OWN):
                state.library = library
        return [DefaultPassBuilder.define_nopython_pipeline(state)]
