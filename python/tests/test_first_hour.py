"""The calls of a first hour."""

from __future__ import annotations

import pytest

import first_hour


@pytest.mark.parametrize("call", first_hour.CALLS, ids=[call.what for call in first_hour.CALLS])
def test_first_hour(call: first_hour.Call) -> None:
    try:
        first_hour.check(call)
    except ImportError as error:
        pytest.skip(str(error))
