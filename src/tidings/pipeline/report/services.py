"""What became of services: a history from the notices in the channel `service-changes`.

A notice in advance names the service evolver. Who made a change says the audit trail: a line of the
same operation about the same offer, the first one since the notice's timestamp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from tidings.changes.model import ChangeKind, TimeIndicator
from tidings.changes.notice_event import DOMAIN

SERVICE_CHANGES: Final = "service-changes"
"""The channel that notices go to."""
_SECOND: Final = 1_000_000
_MOST_TEXT: Final = 500
# The trail's line comes when the change is answered, after its notice was made.
_ANSWERED_WITHIN: Final = 60 * _SECOND
_OPERATIONS: Final = {
    "export_offer": ChangeKind.INSTANTIATION_SERVICE,
    "modify_offer": ChangeKind.CHANGE_PROPERTY_VAL,
    "replace_offer": ChangeKind.CHANGE_TYPE,
    "withdraw_offer": ChangeKind.REMOVAL_SERVICE,
}
_DIFFERENCES: Final = "array<struct<text:string,compatible:boolean>>"


@dataclass(frozen=True, slots=True)
class ServiceHistory:
    """The notices about the services of one type."""

    service_type: str
    announced: int  # notices in advance
    changes: int  # notices of what has happened; the next three add up to it
    breaking: int  # changes that are not compatible
    compatible: int
    unjudged: int  # changes of values, new services, those that went, and unknown interfaces
    removed: int  # services that went
    last_us: int  # when the service learned of the latest


@dataclass(frozen=True, slots=True)
class ServiceChange:
    """One notice."""

    at_us: int  # when the service learned of the change
    message: str  # its id
    kind: str
    time_indicator: str
    service_type: str
    offer: str  # empty if the trader has none
    by: str | None  # who made or announced the change; None if nothing says so
    compatible: bool | None  # None if nobody could judge
    differences: str  # in words


def find_service_changes(events: DataFrame, trail: DataFrame, top: int) -> dict[str, Any]:
    """Return the history by service type, those that break their clients first, and the latest."""
    notices = _notices(events.where(sf.col("channel") == SERVICE_CHANGES)).persist()
    try:
        # A change that was announced has two notices, and is one change.
        made, fits = _is("time_indicator", TimeIndicator.IMMEDIATE), sf.col("compatible")
        by_type = notices.groupBy("service_type").agg(
            sf.count_if(~made).alias("announced"),
            sf.count_if(made).alias("changes"),
            sf.count_if(made & ~fits).alias("breaking"),
            sf.count_if(made & fits).alias("compatible"),
            sf.count_if(made & fits.isNull()).alias("unjudged"),
            sf.count_if(made & _is("kind", ChangeKind.REMOVAL_SERVICE)).alias("removed"),
            sf.max("at_us").alias("last_us"),
        )
        order = (sf.desc("breaking"), sf.desc("changes"), sf.col("service_type"))
        histories = by_type.orderBy(*order).limit(top).collect()
        latest = notices.orderBy(sf.desc("at_us"), sf.desc("seq")).limit(top)
        named = _with_principals(latest, trail).orderBy(sf.desc("at_us"), sf.desc("seq"))
        changes = named.drop("seq").collect()
    finally:
        notices.unpersist()
    return {
        "services": tuple(ServiceHistory(*row) for row in histories),
        "service_changes": tuple(ServiceChange(*row) for row in changes),
    }


def _is(column: str, word: ChangeKind | TimeIndicator) -> Column:
    return sf.col(column) == word.name


def _notices(events: DataFrame) -> DataFrame:
    """Return what the bodies of notices say."""
    raw = sf.decode("raw", "UTF-8")

    def told(path: str) -> Column:
        return sf.get_json_object(raw, f"$.body.{path}")

    found = sf.filter(
        sf.from_json(told("differences"), _DIFFERENCES), lambda one: one["text"].isNotNull()
    )
    texts = sf.array_join(sf.transform(found, lambda one: one["text"]), "; ")
    return events.where(sf.col("domain") == DOMAIN).select(
        "seq",
        sf.coalesce(told("timestamp").cast("bigint"), "arrival_us").alias("at_us"),
        sf.coalesce(told("id"), sf.lit("")).alias("message"),
        sf.col("type").alias("kind"),
        told("time_indicator").alias("time_indicator"),
        sf.col("name").alias("service_type"),
        sf.coalesce(told("offer"), sf.lit("")).alias("offer"),
        told("evolver").alias("evolver"),
        told("compatible").cast("boolean").alias("compatible"),
        sf.coalesce(sf.left(texts, sf.lit(_MOST_TEXT)), sf.lit("")).alias("differences"),
    )


def _with_principals(notices: DataFrame, trail: DataFrame) -> DataFrame:
    """Add who made or announced each change."""
    kinds = sf.create_map(
        *(sf.lit(part) for name, kind in _OPERATIONS.items() for part in (name, kind.name))
    )
    offers = sf.regexp_extract_all("about", sf.lit(r"(?:^|, )offer ([^,]+)"))
    done = trail.where((sf.col("result") == "done") & sf.col("operation").isin([*_OPERATIONS]))
    made = done.select(
        kinds[sf.col("operation")].alias("kind"),
        sf.explode(offers).alias("offer"),
        "principal",
        sf.col("at_us").alias("done_us"),
    )
    key = ["kind", "offer"]
    after = sf.col("done_us") - sf.col("at_us")
    matching = (
        notices.where(_is("time_indicator", TimeIndicator.IMMEDIATE))
        .select("seq", "at_us", *key)
        .join(made, key)
        .where(after.between(0, _ANSWERED_WITHIN))
        .groupBy("seq")
        .agg(sf.min_by("principal", "done_us").alias("principal"))
    )
    rest = ("evolver", "compatible", "differences")
    columns = [name for name in notices.columns if name not in rest]
    by = sf.coalesce("evolver", "principal").alias("by")
    return notices.join(matching, "seq", "left").select(*columns, by, "compatible", "differences")
