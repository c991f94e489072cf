"""Local names that an annotation kept as text may mean.

Under ``from __future__ import annotations`` a class or function made inside a function holds annotations as text, and
the names in them may be locals of the functions around it. Those are still running when the definition is made, so
they are read off the stack then; by the names in the qualified name, so that no other caller's locals are taken.
"""

import sys
from typing import Any


def locals_around(qualname: str, module: str) -> dict[str, Any]:
    """The locals of the functions and class bodies around a definition that is being made; the innermost wins.

    Args:
        qualname: Of the class or function: ``outer.<locals>.Shop.orders``.
        module: Name of the module it is written in.

    Returns:
        Names with their values; empty for a definition at the top of a module.
    """
    around = set(qualname.split(".")[:-1])
    found: dict[str, Any] = {}
    frame = sys._getframe(1) if around else None
    while frame is not None:
        is_ours = frame.f_code.co_name in around and frame.f_globals.get("__name__") == module
        if is_ours and frame.f_locals is not frame.f_globals:
            found = {**frame.f_locals, **found}
        frame = frame.f_back
    return found
