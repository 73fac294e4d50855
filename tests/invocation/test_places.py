"""The calls that run at once in a worker: as many as there are places, the others in turn."""

import asyncio

from runner.invocation.places import Places


async def taking(places: Places, count: int) -> list[asyncio.Task[None]]:
    """So many who take a place, one after the other, as far as they get at once."""
    tasks = [asyncio.create_task(places.take()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


def done(tasks: list[asyncio.Task[None]]) -> list[bool]:
    return [task.done() for task in tasks]


def test_there_are_as_many_places_as_were_made() -> None:
    places = Places(2)
    assert [places.take_free() for _ in range(3)] == [True, True, False]
    places.leave()
    assert [places.take_free() for _ in range(2)] == [True, False]


def test_who_waits_is_served_in_turn() -> None:
    async def run() -> None:
        places = Places(1)
        tasks = await taking(places, 3)
        assert done(tasks) == [True, False, False]
        places.leave()
        await asyncio.sleep(0)
        assert done(tasks) == [True, True, False]
        places.leave()
        await tasks[2]
        places.leave()
        assert places.take_free()

    asyncio.run(run())


def test_a_place_that_was_given_goes_to_nobody_else() -> None:
    async def run() -> None:
        places = Places(1)
        tasks = await taking(places, 2)
        places.leave()
        assert not places.take_free(), "it is the second one's, who has not run since"
        await tasks[1]

    asyncio.run(run())


def test_who_gives_up_waiting_takes_no_place() -> None:
    async def run() -> None:
        places = Places(1)
        tasks = await taking(places, 3)
        tasks[1].cancel()
        await asyncio.wait([tasks[1]])
        places.leave()
        await tasks[2]
        places.leave()
        assert places.take_free()

    asyncio.run(run())


def test_who_is_cancelled_when_given_a_place_hands_it_on() -> None:
    async def run() -> None:
        places = Places(1)
        tasks = await taking(places, 3)
        places.leave()
        tasks[1].cancel()
        await asyncio.wait([tasks[1]])
        assert tasks[1].cancelled()
        await tasks[2]
        places.leave()
        assert places.take_free()

    asyncio.run(run())
