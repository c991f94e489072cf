"""A short mark that changes when the code that produces an asset changes."""

import hashlib
import inspect

from airflow_provider.definitions.asset import Asset


def code_fingerprint(asset: Asset) -> str:
    """16 hex digits over ``code_version`` if the asset declares one, else over the source text of its function.

    A function whose text cannot be had (made at run time) is marked by its byte code, which differs between Python
    versions.
    """
    definition = type(asset)
    if definition.code_version:
        text = f"version {definition.code_version}"
    else:
        function = definition.function or definition.data
        try:
            text = inspect.getsource(function)
        except (OSError, TypeError):
            code = getattr(function, "__code__", None)
            text = f"{code.co_code!r}{code.co_names!r}" if code is not None else repr(definition)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
