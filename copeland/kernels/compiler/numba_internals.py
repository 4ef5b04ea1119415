"""What leans on the inside of numba: how kernels hand a state on to each other, and become machine code once.

Plain numba compiles the same kernels, but takes 86 s for cpc instead of 14. This is used with versions of numba that it was
tried with, and with no others.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import numba
from llvmlite import ir
from llvmlite.binding import Linkage
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import cgutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.datamodel.models import OpaqueModel
from numba.core.datamodel.registry import register_default
from numba.core.environment import lookup_environment
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_getattr_generic
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic
from numba.np import arrayobj

TRIED = {f"0.{minor}" for minor in range(63, 69)}
WORD = 8  # bytes
WORD_TYPE = ir.IntType(64)

# How numba compiles a kernel that only other kernels call: as a part, without machine code of its own.
#
# numba makes each function ready to be called: it links it with all that it calls, optimises the whole and
# turns that into machine code. Then it does so again for each caller, which takes the function in. Only the
# code of the outermost is ever run, so only that one is made: cpc takes 14 s to compile instead of 24, ccb 5 instead of 8.


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


# How compiled kernels hand a state on to each other: by its address.
#
# numba hands a named tuple over as the scalars of its arrays: their addresses, sizes and strides, some five hundred for a
# planner, in every call. Most of what it then compiled was code that passes them on. Here the outermost function puts
# them in a table, once, and all kernels get the address of that table; an attribute is read from it where it is used.
#
# Nothing of a named tuple ever changes, so nor does the table: the compiler may keep what it has read.


class Reference(types.NamedTuple):
    """The type of a named tuple that is given by the address of its table."""

    def __init__(self, value: types.NamedTuple):
        parts = [Reference(part) if _is_record(part) else part for part in value.types]
        super().__init__(parts, value.instance_class)
        self.value = value
        told = hashlib.sha256(value.name.encode()).hexdigest()[:12]
        self.name = f"{value.instance_class.__name__}_{told}_by_address"

    @property
    def key(self) -> Any:
        """What tells it from other types."""
        return "by address", self.value

    @property
    def mangling_args(self) -> tuple[str, tuple[()]]:
        """Its name in the names of functions: short, as there are many of these."""
        return self.name, ()


def _is_record(given: Any) -> bool:
    return type(given) is types.NamedTuple


@register_default(Reference)
class ReferenceModel(OpaqueModel):
    """The address is all that is handed on."""


@intrinsic
def by_address(typing_context: Any, given: Any) -> Any:
    """Return a named tuple by its address; anything else as it is."""
    if not _is_record(given):
        return given(given), lambda context, builder, signature, args: args[0]
    made = Reference(given)

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table = cgutils.alloca_once(builder, ir.ArrayType(WORD_TYPE, _words(context, made)))
        start = builder.bitcast(table, cgutils.voidptr_t)
        _write(context, builder, made, start, args[0])
        return _forget_writes(builder, start)

    return made(given), write


def _forget_writes(builder: Any, start: Any) -> Any:
    """The same address; what was written there before is not seen as a change of what is read from now on."""
    through = ir.FunctionType(cgutils.voidptr_t, [cgutils.voidptr_t])
    return builder.asm(through, "", "=r,0,~{memory}", [start], side_effect=True)


def _words(context: Any, part: Any) -> int:
    """How many words of a table a part takes."""
    if isinstance(part, Reference):
        return sum(_words(context, one) for one in part.types)
    if _is_plain_array(part):
        return 1 + part.ndim  # its address and its shape; the rest follows from its type
    size = context.get_abi_sizeof(context.get_data_type(part))
    return -(-size // WORD)


def _is_plain_array(part: Any) -> bool:
    return type(part) is types.Array and part.layout == "C" and part.aligned


def _place(context: Any, builder: Any, made: Reference, start: Any, n: int) -> Any:
    """Where the nth part of a named tuple is."""
    return _word(builder, start, sum(_words(context, part) for part in made.types[:n]))


def _word(builder: Any, start: Any, n: int) -> Any:
    return cgutils.pointer_add(builder, start, WORD * n)


def _write(context: Any, builder: Any, made: Reference, start: Any, value: Any) -> None:
    """Put the parts of a named tuple into its table."""
    for n, part in enumerate(made.types):
        at, given = _place(context, builder, made, start, n), builder.extract_value(value, n)
        if isinstance(part, Reference):
            _write(context, builder, part, at, given)
        elif _is_plain_array(part):
            array = arrayobj.make_array(part)(context, builder, given)
            shape = cgutils.unpack_tuple(builder, array.shape, part.ndim)
            for place, word in enumerate((array.data, *shape)):
                _store(builder, word, _word(builder, at, place))
        else:
            _store(builder, context.data_model_manager[part].as_data(builder, given), at)


def _store(builder: Any, value: Any, at: Any) -> None:
    builder.store(value, builder.bitcast(at, value.type.as_pointer()), align=WORD)


def _read(context: Any, builder: Any, made: Reference, start: Any, n: int) -> Any:
    """The nth part of a named tuple."""
    part, at = made.types[n], _place(context, builder, made, start, n)
    if isinstance(part, Reference):
        return at
    if _is_plain_array(part):
        return _read_array(context, builder, part, at)
    model = context.data_model_manager[part]
    return model.from_data(builder, _load(builder, model.get_data_type(), at))


def _read_array(context: Any, builder: Any, part: Any, at: Any) -> Any:
    array = arrayobj.make_array(part)(context, builder)
    data = _load(builder, context.get_data_type(part.dtype).as_pointer(), at)
    shape = [_load(builder, WORD_TYPE, _word(builder, at, 1 + n)) for n in range(part.ndim)]
    size = arrayobj.get_itemsize(context, part)
    stride, strides = WORD_TYPE(size), []
    for length in reversed(shape):
        strides.insert(0, stride)
        stride = builder.mul(stride, length)
    arrayobj.populate_array(array, data, shape, strides, size, None)
    return array._getvalue()


def _load(builder: Any, kind: Any, at: Any) -> Any:
    """What is at a place of the table: it never changes."""
    word = builder.load(builder.bitcast(at, kind.as_pointer()), align=WORD)
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


@lower_getattr_generic(Reference)
def _attribute(context: Any, builder: Any, made: Reference, start: Any, name: str) -> Any:
    n = made.fields.index(name)
    return impl_ret_borrowed(
        context, builder, made.types[n], _read(context, builder, made, start, n)
    )


@lower_builtin("static_getitem", Reference, types.IntegerLiteral)
def _item(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    made, (start, index) = signature.args[0], args
    n = range(len(made.types))[index]
    return impl_ret_borrowed(
        context, builder, made.types[n], _read(context, builder, made, start, n)
    )
