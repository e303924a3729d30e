from __future__ import annotations

from tidings.filters.to_spark.columns import ARCHIVE, EventColumns, quoted, quoted_name


def test_columns_have_their_own_names_or_those_of_a_frame() -> None:
    assert ARCHIVE.lookup("data_int", "count") == "data_int['count']"
    assert EventColumns("e").named("raw") == "`e`.`raw`"
    assert ARCHIVE.listed("data_other", "x") == "array_contains(data_other, 'x')"


def test_nothing_in_a_text_can_end_it_or_be_a_variable() -> None:
    assert quoted("it's ${x}\\") == "'it\\u0027s \\u0024\\u007bx\\u007d\\u005c'"
    assert quoted("😀") == "'\\U0001f600'"
    assert quoted_name("a`b") == "`a``b`"
