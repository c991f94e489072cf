"""Every exception of the package, each of which says what is wrong, where, and how to mend it.

The tree (the standard class in brackets is a second base, so that callers may catch either)::

    AssetsError
    ├── ConfigError [ValueError]          a setting or combination that cannot work
    │   └── PartitionError                a key, partition or window that does not fit
    ├── DefinitionError [TypeError]       a wrong keyword, annotation or shape in a definition
    ├── GraphError [ValueError]           assets that cannot be joined into one graph
    │   ├── CircularDependencyError
    │   └── AssetNotFoundError
    ├── AssetError                        an asset failed, or returned what cannot be used
    │   └── PartitionsFailedError         some partitions of a run were not written
    ├── SchemaError [ValueError]          data that does not fit its schema
    ├── NormalizerError [TypeError]       data that a normalizer cannot reshape
    ├── RepresentationError [TypeError]   data of a kind that nothing recognises
    ├── DestinationError                  a store refused or failed
    │   ├── DataNotFoundError             nothing is stored there
    │   ├── DataCorruptError              what is stored is damaged
    │   ├── SupersededError               a newer attempt has committed: this one must not
    │   └── LockTimeoutError              another writer holds the partition
    └── ConnectionLookupError             a connection could not be resolved

The three parts are required by the constructor, so that no error can forget one.
"""

import os
import sysconfig
import traceback

_NOT_THE_USERS = (os.path.dirname(__file__), sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), "<frozen ")  # noqa: PTH120 -- as tracebacks have it


class AssetsError(Exception):
    """Base of every error of the package.

    Args:
        what: What is wrong, with the value seen. Never a secret, never a whole row.
        where: The asset, source, destination, file or option it is about.
        fix: What the reader can do about it.
    """

    def __init__(self, what: str, *, where: str, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.where}: {self.what}\n  Fix: {self.fix}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.where, self.fix)


def located(error: BaseException) -> str:
    """An error as told to whoever wrote the definition: with the line of their code that it came from, if it is known.

    For messages about files and definitions; what a run keeps tells nothing of the errors of others but their class.
    """
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} (line {error.lineno} of {error.filename})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_NOT_THE_USERS)]
    if isinstance(error, AssetsError):
        return str(error) + "".join(f"\n  At: line {frame.lineno} of {frame.filename}" for frame in own[-1:])
    at = "".join(f" (line {frame.lineno} of {frame.filename})" for frame in (own or frames)[-1:])
    return f"{type(error).__name__}: {error}{at}"


def _rebuild(kind: type[AssetsError], what: str, where: str, fix: str) -> AssetsError:
    return kind(what, where=where, fix=fix)


class ConfigError(AssetsError, ValueError):
    """A setting, or a combination of settings, that cannot work."""


class PartitionError(ConfigError):
    """A key, partition or window that does not fit the asset's partitioning."""


class DefinitionError(AssetsError, TypeError):
    """A definition with a wrong keyword, annotation or shape."""


class GraphError(AssetsError, ValueError):
    """Assets that cannot be joined into one graph."""


class CircularDependencyError(GraphError):
    """An asset that needs, directly or not, its own result."""


class AssetNotFoundError(GraphError):
    """A name that no asset of the graph answers to."""


class AssetError(AssetsError):
    """An asset failed, or returned something that cannot be used."""


class PartitionsFailedError(AssetError):
    """Some partitions of a run were not written; the others stand.

    Attributes:
        errors: What went wrong, one error per partition write; empty once the error has crossed a process.
    """

    errors: tuple[BaseException, ...] = ()


class SchemaError(AssetsError, ValueError):
    """Data that does not fit its schema."""


class NormalizerError(AssetsError, TypeError):
    """Data that a normalizer cannot reshape."""


class RepresentationError(AssetsError, TypeError):
    """Data of a kind that no representation recognises."""


class DestinationError(AssetsError):
    """A store refused, or failed."""


class DataNotFoundError(DestinationError):
    """Nothing is stored where data was looked for."""


class DataCorruptError(DestinationError):
    """What is stored is damaged, or is not what its commit record says."""


class SupersededError(DestinationError):
    """A newer attempt has written the partition; this one's commit was refused.

    Attributes:
        leaves_suspect: Whether this one's data may have landed last all the same, in a store that cannot refuse it.
    """

    leaves_suspect: bool = False


class LockTimeoutError(DestinationError):
    """Another writer held the partition's lock for longer than we wait."""


class ConnectionLookupError(AssetsError):
    """A connection could not be resolved."""
