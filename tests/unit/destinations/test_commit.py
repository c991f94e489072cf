"""The order of one commit on disk: nothing that a power cut could show takes effect before what it stands on."""

import os
from pathlib import Path
from typing import Any

import pytest

from airflow_provider.definitions.destination import Stamp
from airflow_provider.destinations.file import FileDestination
from airflow_provider.testing.destination_contract import StoredAsset, context_of, days


def test_data_is_synced_then_the_intent_then_renamed_synced_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    destination, context = FileDestination(base_path=tmp_path), context_of(StoredAsset(), days(1))
    (day,) = context.partitions
    committer, folder = destination.committer(context), destination.folder(context)
    committer.commit(day, "old", Stamp(fence=committer.take_fence(), attempt="a"))
    stamp = Stamp(fence=committer.take_fence(), attempt="b")
    seen: list[tuple[str, ...]] = []
    sync, rename = os.fsync, os.replace

    def fsync(handle: int) -> None:
        seen.append(("sync", str(Path(f"/proc/self/fd/{handle}").readlink())))
        sync(handle)

    def replace(source: Any, target: Any) -> None:
        seen.append(("rename", str(source), str(target)))
        rename(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    committer.commit(day, "new", stamp)

    staged = seen[0][1]
    assert Path(staged).name.startswith(f".data.pkl.{stamp.fence}.")
    assert seen == [
        ("sync", staged),
        ("sync", folder.intent(day.key)),
        ("sync", folder.intents),
        ("rename", staged, folder.data(day.key)),
        ("sync", folder.folder(day.key)),
        ("rename", folder.intent(day.key), folder.record(day.key)),
    ]
