"""The bench on which the suites of the destination contract stand: how a destination is made, written to and read."""

import asyncio
import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.destination import Committer, Destination, Stamp, in_form
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import DataNotFoundError
from airflow_provider.testing.contract import Contract
from airflow_provider.testing.samples import StoredAsset


class DestinationSuite(Contract):
    """Base of the suites for destinations; ``make`` is the subclass's to define.

    Attributes:
        asset: What is stored; another dataset or table may be needed where a store refuses these names.
    """

    asset: ClassVar[StoredAsset] = StoredAsset()

    def make(self, folder: Path) -> Destination:
        """A destination over the store in ``folder``, empty at first; made again, it sees what was stored."""
        raise NotImplementedError

    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Where the store is; the deployment's index is beside it, and empty."""
        monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
        return tmp_path / "data"

    @pytest.fixture
    def destination(self, folder: Path) -> Destination:
        """The destination under test."""
        return self.make(folder)

    def committer(self, destination: Destination, context: IOContext) -> Committer:
        """The committer, with hooks called directly."""
        return destination.committer(context, call=run_hook)

    def store(self, destination: Destination, context: IOContext, data: Any, *, attempt: str = "a") -> int:
        """Write as execution does: fence, slices in the form asked for, one commit each. Returns the fence."""
        committer = self.committer(destination, context)
        fence = committer.take_fence()
        for partition, part in context.slices(data):
            committer.commit(partition, in_form(destination, part), Stamp(fence=fence, attempt=attempt))
        return fence

    def load(self, destination: Destination, context: IOContext) -> Any:
        """Read, through a sync or async hook."""
        return run_hook(destination.read, context)

    def held(self, destination: Destination, context: IOContext) -> dict[str, int]:
        """Rows per partition key, as the destination counts them."""
        counts: dict[str, int] = run_hook(destination.partition_row_counts, context)
        return counts

    def is_there(self, destination: Destination, context: IOContext) -> bool:
        """Whether a read finds anything."""
        try:
            self.load(destination, context)
        except DataNotFoundError:
            return False
        return True

    def is_atomic(self, destination: Destination) -> bool:
        """Whether readers and late writers may be held to the stronger promise."""
        return destination.guarantee == "atomic"


def run_hook(hook: Callable[..., Any], *args: Any) -> Any:
    """Run a sync or async hook to its end."""
    result = hook(*args)
    if not inspect.isawaitable(result):
        return result

    async def waited() -> Any:
        return await result

    return asyncio.run(waited())


@contextmanager
def nothing_left_unawaited() -> Iterator[None]:
    """Fail when a coroutine of the block is thrown away without having run."""
    import gc

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
        gc.collect()
    lost = [str(warning.message) for warning in caught if "was never awaited" in str(warning.message)]
    assert lost == [], "an async hook was called and not awaited: its work was never done"
