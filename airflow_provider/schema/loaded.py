"""Classes of data libraries, without loading the library: a value cannot be of a class that nobody has loaded.

Another thread may be in the middle of the import, so a name that is not there yet is no class yet.
"""

import sys


def loaded(module: str, *names: str) -> tuple[type, ...]:
    """Those classes of ``module`` that this process has; none when the module is not imported."""
    found = sys.modules.get(module)
    return tuple(cls for name in names if (cls := getattr(found, name, None)) is not None)
