"""The flights in every engine behind the same file, and the package's frames beside them."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.examples.flights import loaded
from tests.examples.flights.frames import Frames
from tests.examples.flights.loaded import COUNTS, ENGINES, FILE, copied, create, drop, shared
from tests.examples.talking import MODERN, Talk, talking
from tests.run.processes import serving


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all processes of a run share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "flights"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def urls(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The address of the flights in each engine."""

    def load(engine: str, folder: Path) -> str:
        url = create(engine, folder)
        done = loaded.load(url)
        assert done.stdout.splitlines()[-1:] == [COUNTS], done.stderr
        return url

    with ExitStack() as stack:
        found: dict[str, str] = {}
        for engine in ENGINES:
            folder = run_folder / engine
            folder.mkdir(exist_ok=True)
            found[engine] = stack.enter_context(shared(folder, partial(load, engine, folder), drop))
        yield {**found, "duckdb": copied(found["duckdb"], tmp_path_factory.mktemp("duckdb"))}


@pytest.fixture(scope="session")
def talks(
    urls: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Talk]]:
    """A client of a server of each engine."""
    file = Path(shutil.copy(FILE, tmp_path_factory.mktemp("flights-file")))
    with ExitStack() as stack:
        yield {
            engine: stack.enter_context(
                talking(
                    stack.enter_context(serving(file, environment={"DATABASE_URL": url})).url,
                    MODERN,
                )
            )
            for engine, url in urls.items()
        }


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    return str(request.param)


@pytest.fixture
def url(engine: str, urls: Mapping[str, str]) -> str:
    """The address of the flights in the engine."""
    return urls[engine]


@pytest.fixture
def talk(engine: str, talks: Mapping[str, Talk]) -> Talk:
    """A client of the engine's server."""
    return talks[engine]


@pytest.fixture(scope="session")
def frames() -> Frames:
    """The package's own data."""
    return Frames()
