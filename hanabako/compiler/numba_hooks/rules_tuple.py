"""Reading a record of rules as a named tuple, so that generic loops keep the rules in registers.

A record is a pointer to memory. The compiler must assume that a write to a table may change it, and so reads every rule
again after every write. That makes generic loops of a five-player game 9 % slower.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

__all__ = ["rules_tuple"]


def rules_tuple(kind: Any, record: Any) -> Any:  # noqa: ARG001 - only compiled code uses the class
    """Return the fields of a ``record`` (int64 and arrays of them) as a named tuple of class ``kind``.

    In interpreted code, return the record itself.
    """
    return record


@intrinsic
def read_record(_typing_context: Any, kind: types.NamedTupleClass, record: types.Record) -> Any:
    """Return the named tuple, in compiled code only."""
    lengths = [getattr(record.typeof(name), "nitems", 0) for name in kind.instance_class._fields]
    members = [types.UniTuple(types.int64, length) if length else types.int64 for length in lengths]
    result = types.BaseTuple.from_types(members, kind.instance_class)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        def number(offset: int) -> Any:
            return builder.load(cgutils.get_record_member(builder, arguments[1], offset, ir.IntType(64)))

        values = []
        for name, length, member in zip(kind.instance_class._fields, lengths, members, strict=True):
            first = record.offset(name)
            several = [number(first + 8 * k) for k in range(length)]
            values.append(context.make_tuple(builder, member, several) if length else number(first))
        return context.make_tuple(builder, result, values)

    return result(kind, record), generate  # pyrefly: ignore[not-callable] - a signature is made by calling a type


@overload(rules_tuple, jit_options={"forceinline": True})
def compile_rules_tuple(kind, record):  # noqa: ARG001 - only their types matter
    """Implement `rules_tuple` in compiled code."""
    return lambda kind, record: read_record(kind, record)  # noqa: PLW0108  # pyrefly: ignore[missing-argument]
