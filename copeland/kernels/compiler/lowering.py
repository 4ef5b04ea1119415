"""How numba compiles a kernel that only other kernels call: as a part, without machine code of its own.

numba makes each function ready to be called: it links it with all that it calls, optimises the whole and
turns that into machine code. Then it does so again for each caller, which takes the function in. Only the
code of the outermost is ever run, so only that one is made: cpc takes 14 s to compile instead of 24, ccb 5 instead of 8
(plain numba, without :mod:`copeland.kernels.compiler.references` either, takes 86 and 8).

This leans on the inside of numba, so it is used with versions that it was tried with, and with no others.
"""

from __future__ import annotations

from typing import Any, Literal

import numba
from llvmlite.binding import Linkage
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering

TRIED = {f"0.{minor}" for minor in range(63, 69)}


class Part(JITCodeLibrary):
    """The code of a kernel, to be linked into that of its callers."""

    def _optimize_final_module(self) -> None:
        """Leave that to the outermost caller."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class Whole(JITCodeLibrary):
    """The code of a kernel that Python calls, with all its parts."""

    def _optimize_final_module(self) -> None:
        """Say that nobody else calls the parts, so that one with a single caller is taken in; optimise once.

        numba does so twice, to drop counts of references in between: here are none.
        """
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = Linkage.internal
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Turn a kernel into a :class:`Part`."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower it, and register it with callers as one that has no address."""
        state.library = library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        library.enable_object_caching()
        flags, state.flags = state.flags, state.flags.copy()
        state.flags.no_compile = True
        super().run_pass(state)
        state.flags = flags
        done = state["cr"]
        name = done.fndesc.qualname.split(".")[-1]
        module = done.fndesc.lookup_module()
        function = _dynfunc.make_function(module, name, "", 0, done.env, (library,))
        state.targetctx.insert_user_function(function, done.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = done._replace(cfunc=function)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class WholeLowering(NativeLowering):
    """Turn a kernel and its parts into machine code."""

    _name = "whole_lowering"

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower it, and give each part its constants, as numba does for what has an address."""
        library: Any = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        library.enable_object_caching()
        state.library = library
        super().run_pass(state)
        for variable in library._final_module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv"):
                constants = lookup_environment(variable.name)
                if constants is not None:
                    library.codegen.set_env(variable.name, constants)
        return True


class _Lowered(Compiler):
    """numba's compiler with another last step."""

    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        """Return numba's own passes, but for the lowering."""
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (self.lowering if step is NativeLowering else step, why)
                for step, why in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines


class PartCompiler(_Lowered):
    """The compiler of kernels that others call."""

    lowering = PartLowering


class WholeCompiler(_Lowered):
    """The compiler of kernels that Python calls."""

    lowering = WholeLowering


def is_tried() -> bool:
    """Tell whether all this was tried with this numba."""
    return numba.__version__.rpartition(".")[0] in TRIED


def choose_compiler(whole: bool) -> dict[str, Any]:
    """Return the option of numba that chooses the compiler: nothing, if this numba is not known well."""
    return {"pipeline_class": WholeCompiler if whole else PartCompiler} if is_tried() else {}
