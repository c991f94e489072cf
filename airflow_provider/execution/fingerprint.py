"""A short mark that changes when the code that produces an asset changes."""

import contextlib
import functools
import hashlib
import inspect
import types
from collections.abc import Callable

from airflow_provider.definitions.asset import Asset, Computing


def code_fingerprint(asset: Asset) -> str:
    """16 hex digits over ``code_version`` if the asset declares one, else over the source text of its function.

    A function whose text cannot be had (made at run time) is marked by its byte code, which differs between Python
    versions.
    """
    shared = asset.computation
    return _fingerprint(type(asset) if shared is None or type(asset).code_version else type(shared))


@functools.lru_cache(maxsize=4096)
def _fingerprint(definition: type[Computing]) -> str:
    if definition.code_version:
        text = f"version {definition.code_version}"
    else:
        text = _text(definition.function or definition.data) or repr(definition)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text(function: Callable[..., object]) -> str:
    """The function's source; its code where it comes from no file; empty for what has neither."""
    code: types.CodeType | None = getattr(function, "__code__", None)
    if code is None or not code.co_filename.startswith("<"):  # of <string> some Pythons give the text of another code
        with contextlib.suppress(OSError, TypeError):
            return inspect.getsource(function)
    return "" if code is None else _code_text(code)


def _code_text(code: types.CodeType) -> str:
    """What the code does, the same in every process: no address, and sets in a fixed order."""
    constants = [
        _code_text(value)
        if isinstance(value, types.CodeType)
        else repr(sorted(map(repr, value)))
        if isinstance(value, frozenset)
        else repr(value)
        for value in code.co_consts
    ]
    return f"{code.co_code!r}{code.co_names!r}{constants!r}"
