"""Annotations of class bodies: their names, and what stands behind text in them."""

import re
import sys
import typing
from collections.abc import Mapping
from typing import Any

from airflow_provider.schema.scope import locals_around


def annotated_names(namespace: Mapping[str, Any]) -> set[str]:
    """The names that a class body annotates; nothing is evaluated."""
    if "__annotations__" in namespace:
        return set(namespace["__annotations__"])
    if sys.version_info >= (3, 14):  # annotations are computed on demand there
        import annotationlib

        annotate = annotationlib.get_annotate_from_class_namespace(namespace)
        if annotate is not None:
            return set(annotationlib.call_annotate_function(annotate, annotationlib.Format.FORWARDREF))
    return set()


def scope_of_text(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The locals around a class body that its annotations name, where those are kept as text."""
    texts = [value for value in namespace.get("__annotations__", {}).values() if isinstance(value, str)]
    if not texts:
        return {}
    named = set(re.findall(r"[^\W\d]\w*", " ".join(texts)))
    around = locals_around(namespace.get("__qualname__", ""), namespace.get("__module__", ""))
    return {name: value for name, value in around.items() if name in named}


def resolved_annotation(cls: type, annotation: Any) -> Any:
    """``annotation``, with a forward reference looked up in the class's module if it is there by now."""
    if isinstance(annotation, (str, typing.ForwardRef)):
        text = annotation if isinstance(annotation, str) else annotation.__forward_arg__
        module = sys.modules.get(cls.__module__)
        try:
            return eval(text, dict(vars(typing)), dict(vars(module)) if module else {})  # noqa: S307 -- the user's own
        except NameError:
            return annotation
    return annotation
