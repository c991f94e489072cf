"""Stop, or fail, at the n-th call to the file system, for every n: no moment of a commit is left to luck."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fault_tools import ASSET, KINDS, check_agreement, staged_files, table, version_of

from airflow_provider.definitions.destination import Stamp
from airflow_provider.errors import DestinationError
from airflow_provider.testing.destination_contract import context_of, days

CALLS = ("open", "write", "fsync", "replace", "unlink", "mkdir", "close", "ftruncate")
CRASHED = 9
LIMIT = 400


def commit_all(destination: Any, context: Any, version: int) -> None:
    committer = destination.committer(context)
    fence = committer.take_fence()
    for partition in context.partitions:
        committer.commit(partition, table(partition, version), Stamp(fence=fence, attempt=f"v{version}"))


def patch_calls(at: int, act: Callable[[str, Any], None], patch: Callable[[str, Any], None]) -> list[str]:
    """Have the ``at``-th call run ``act`` first; the list that is returned grows by the name of each call."""
    seen: list[str] = []

    def wrap(name: str, real: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            seen.append(name)
            if len(seen) == at:
                act(name, args)
            return real(*args, **kwargs)

        return call

    for name in CALLS:
        patch(name, wrap(name, getattr(os, name)))
    return seen


def crash(name: str, args: Any, real_write: Any = os.write) -> None:
    if name == "write":  # half of it reaches the disk
        real_write(args[0], bytes(args[1])[: len(args[1]) // 2])
    os._exit(CRASHED)


def run_forked(at: int, work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            patch_calls(at, crash, lambda name, function: setattr(os, name, function))
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize("held", [True, False], ids=["over old data", "first write"])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_crash_before_any_call_leaves_old_or_new(kind: str, held: bool, tmp_path: Path) -> None:
    """F2: for every n until the commit ends by itself; what is left is repaired, and written over."""
    context, before = context_of(ASSET, days(2)), tmp_path / "before"
    before.mkdir()
    if held:
        commit_all(KINDS[kind](base_path=before), context, 1)
    allowed = {1, 2} if held else {None, 2}
    for at in range(1, LIMIT):
        base = tmp_path / f"base{at}"
        shutil.copytree(before, base)
        destination = KINDS[kind](base_path=base)
        code = run_forked(at, lambda: commit_all(destination, context, 2))  # noqa: B023
        assert code in (0, CRASHED)
        assert {version_of(destination, context, p) for p in context.partitions} <= allowed, f"call {at}"
        destination.committer(context).repair()
        check_agreement(destination, context)
        if code == 0:
            break
        commit_all(destination, context, 3)
        destination.committer(context).repair()
        check_agreement(destination, context)
        assert {version_of(destination, context, p) for p in context.partitions} == {3}
        assert staged_files(base) == []
        shutil.rmtree(base)
    assert code == 0
    assert at > 30


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_crash_while_repairing_can_be_repaired(kind: str, tmp_path: Path) -> None:
    """F2: repair is killed too, at each of its own calls."""
    context = context_of(ASSET, days(1))
    for crashed_at in range(8, 40):
        base = tmp_path / f"base{crashed_at}"
        destination = KINDS[kind](base_path=base)
        commit_all(destination, context, 1)
        if run_forked(crashed_at, lambda: commit_all(destination, context, 2)) == 0:  # noqa: B023
            return
        for at in range(1, LIMIT):
            if run_forked(at, lambda: destination.committer(context).repair() and None) == 0:  # noqa: B023
                break
            assert version_of(destination, context, context.partitions[0]) in (1, 2)
        check_agreement(destination, context)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_error_at_any_call_is_worded_and_leaves_old_or_new(
    kind: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F8: at every call, not only those that come to mind; the error names destination and partition."""
    context, before = context_of(ASSET, days(1)), tmp_path / "before"
    commit_all(KINDS[kind](base_path=before), context, 1)

    def fail(name: str, args: Any) -> None:
        raise OSError(code, os.strerror(code))

    for at in range(1, LIMIT):
        base = tmp_path / f"base{at}"
        shutil.copytree(before, base)
        destination = KINDS[kind](base_path=base)
        failed = None
        with monkeypatch.context() as patched:
            seen = patch_calls(at, fail, lambda name, function: patched.setattr(os, name, function))
            try:
                commit_all(destination, context, 2)
            except DestinationError as error:
                failed = error
        version = version_of(destination, context, context.partitions[0])
        assert version in (1, 2)
        assert failed is not None or version == 2
        if failed is not None:
            assert errno.errorcode[code] in failed.what
            assert str(base) in failed.what
            assert "shop.orders" in failed.where
        litter = staged_files(base)
        assert not litter or seen[at - 1] in ("unlink", "close"), f"call {at}, {seen[at - 1]}: {litter}"
        destination.committer(context).repair()
        check_agreement(destination, context)
        shutil.rmtree(base)
        if len(seen) < at:
            break
    assert len(seen) < at
