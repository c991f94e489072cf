"""The repository holds no secret and names no machine: no host but public ones, and no checkout's folder."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Hosts that a reader may be sent to, names reserved for examples, and names without a dot, which are nobody's.
PUBLIC_HOSTS = re.compile(
    r"([a-z0-9-]+|127\.0\.0\.1|(.+\.)?example(\.(com|org|net))?|(.+\.)?(invalid|test)|(.+\.)?apache\.org|(.+\.)?python\.org"
    r"|keepachangelog\.com|semver\.org|docs\.astral\.sh|(.+\.)?readthedocs\.io|www\.w3\.org|(.+\.)?duckdb\.org|json-schema\.org)"
)
URL = re.compile(r"\bhttps?://(?:[^\s/@\"'<>{}]*@)?([A-Za-z0-9.-]+)")
SECRETS = {
    "an access key of a cloud": re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a token of a code host": re.compile(r"\b(gh[pousr]_[A-Za-z0-9]{30,}|glpat-[A-Za-z0-9_-]{20,})\b"),
    "a token of a chat": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    "a signed token": re.compile(r"\beyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}\."),
}


def texts() -> list[tuple[str, str]]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()
    found = []
    for path in listing:
        try:
            found.append((path, (ROOT / path).read_text(encoding="utf-8")))
        except (UnicodeDecodeError, OSError):
            continue  # a picture, or gone
    return found


@pytest.fixture(scope="module")
def files() -> list[tuple[str, str]]:
    found = texts()
    if not found:
        pytest.skip("not a git checkout: nothing says which files belong to it")
    return found


def test_only_public_hosts_are_named(files: list[tuple[str, str]]) -> None:
    named = [(path, host.rstrip(".")) for path, text in files for host in URL.findall(text)]

    assert [one for one in named if not PUBLIC_HOSTS.fullmatch(one[1])] == []


@pytest.mark.parametrize("what", SECRETS)
def test_nothing_looks_like(what: str, files: list[tuple[str, str]]) -> None:
    assert [path for path, text in files if SECRETS[what].search(text)] == []


def test_no_folder_of_a_machine_is_named(files: list[tuple[str, str]]) -> None:
    folder = re.compile(rf"{re.escape(str(ROOT))}/|/home/[a-z]+/|/root/|/Users/[a-z]+/")

    assert [path for path, text in files if folder.search(text) and not path.endswith("test_words.py")] == []
