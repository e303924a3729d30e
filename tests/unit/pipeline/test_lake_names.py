"""Folders and columns of a lake."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.pipeline.lake_names import (
    column_name,
    folder_name,
    same_column,
    table_of_type,
    unused_column,
)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("Speed", "Speed"),
        ("", "_"),
        ("_", "%5F"),
        ("_x", "%5Fx"),
        (".", "%2E"),
        ("..", "%2E."),
        ("a.b-c_d", "a.b-c_d"),
        ("a/b", "a%2Fb"),
        ("date=1", "date%3D1"),
        ("%ANY", "%25ANY"),
        ("Größe", "Gr%C3%B6%C3%9Fe"),
        ("*?[{\\", "%2A%3F%5B%7B%5C"),
    ],
)
def test_folders(name: str, folder: str) -> None:
    assert folder_name(name) == folder


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_two_names_have_one_folder(one: str, other: str) -> None:
    assert (folder_name(one) == folder_name(other)) == (one == other)


@given(st.text(max_size=400))
def test_folders_are_seen_by_every_file_system_and_by_spark(name: str) -> None:
    made = folder_name(name)
    assert made.isascii()
    assert len(made) <= 120
    assert not set(made) & set("/=*?[]{}\\: ")
    assert made == "_" or made[0] not in "._"


def test_long_names_are_cut_and_stay_apart() -> None:
    one, other = folder_name("a" * 300 + "1"), folder_name("a" * 300 + "2")
    assert one != other
    assert one.startswith("aaaa")
    assert "~" in one
    assert column_name("a" * 300 + "1") != column_name("a" * 300 + "2")


def test_tables() -> None:
    assert table_of_type("Traffic", "Speed") == "types/Traffic/Speed"
    assert table_of_type("", "%ANY") == "types/_/%25ANY"


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("rate", "rate"),
        ("a b", "a_x20_b"),
        ("a.b", "a_x2e_b"),
        ("", "_"),
        ("Höhe", "Höhe"),
        ("ß", "_xdf_"),
        ("\u0131", "_x131_"),
        ("`;,{}()\n\t=", "_x60__x3b__x2c__x7b__x7d__x28__x29__xa__x9__x3d_"),
    ],
)
def test_columns(name: str, column: str) -> None:
    assert column_name(name) == column


def test_a_taken_column_gets_a_number() -> None:
    assert unused_column("rate", set()) == "rate"
    assert unused_column("Rate", {"rate"}) == "Rate__2"
    assert unused_column("RATE", {"rate", "rate__2"}) == "RATE__3"
    assert same_column("RaTe") == "rate"
