"""What ends a process of a box for good is one sentence, wherever in it that was raised."""

import asyncio

import pytest

from shoal.cli.box.child import run_child
from shoal.cli.box.errors import BoxError
from shoal.units.built import NotBuiltError, built


async def grouped(ready) -> None:
    async def missing() -> None:
        built("no_such_part")

    async with asyncio.TaskGroup() as group:
        group.create_task(missing())


def test_an_error_inside_a_group_is_told_by_itself():
    with pytest.raises(BoxError, match="no no_such_part in the package; reinstall"):
        run_child(grouped, None, fatal=(NotBuiltError,))


def test_what_nobody_thought_of_stays_what_it_is():
    with pytest.raises(ExceptionGroup):
        run_child(grouped, None)
