"""The archive as an audit reads it: every segment is checked, and used if it is readable at all.

Other jobs skip segments that differ from what was sealed. The audit reads them, because changed
rows are what it must find.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tidings.clock import moment_text
from tidings.errors import ArchiveDamaged, InvalidUsage
from tidings.pipeline.archive import Archive, journal_losses
from tidings.pipeline.audit.pairs import FIRST
from tidings.pipeline.audit.result import AuditOptions, Finding, FindingKind
from tidings.stores.archive.books import Books, read_books
from tidings.stores.archive.columns import KINDS
from tidings.stores.archive.manifest import Manifest, SegmentFile


@dataclass(frozen=True)
class AuditedArchive:
    """An archive whose segments have been checked."""

    spark: SparkSession
    options: AuditOptions
    source: Archive
    manifest: Manifest
    books: Books | None  # as of the last seal; None if missing or unreadable
    lost: tuple[SegmentFile, ...]  # unreadable
    findings: tuple[Finding, ...]  # about segments, manifest and books

    @property
    def dropped(self) -> tuple[SegmentFile, ...]:
        """The segments that retention has removed."""
        return self.manifest.gone

    def files(self, kind: str) -> list[SegmentFile]:
        """Return the readable segments of a kind."""
        lost = {file.path for file in self.lost}
        chosen = self.manifest.select(kind, channels=self.options.channels)
        return [file for file in chosen if file.path not in lost]

    def rows(self, kind: str) -> DataFrame:
        """Return the rows of a kind, of the audited channels."""
        return self.source.rows(self.spark, kind, self.files(kind), self.options.channels)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Names of the audited channels, by origin."""
        asked = self.options.channels
        found: dict[str, str] = {}
        for file in self.manifest.files:
            found.update(file.channels or ())
        for origin, book in self.books.channels.items() if self.books is not None else ():
            found[origin] = book.name
        return {
            origin: name
            for origin, name in found.items()
            if not asked or name in asked or origin in asked
        }

    @cached_property
    def since_us(self) -> int | None:
        """Start of the audited time: as requested, but not before what retention dropped."""
        limits = [file.last_us + 1 for file in self.dropped]
        if self.options.since_us is not None:
            limits.append(self.options.since_us)
        return max(limits, default=None)

    @cached_property
    def settled_from(self) -> int:
        """Position after the last gap of the journal; the rows do not tell who waited before it."""
        gaps = [seal.gap.upto for seal in self.manifest.seals if seal.gap is not None]
        return max((to.segment << 40 | to.offset for to in gaps), default=FIRST)

    def is_exact(self, origin: str) -> bool:
        """Whether rows and books cover the same events of a channel."""
        unknown = (*self.dropped, *self.lost)
        return self.settled_from == FIRST and not any(file.sums.get(origin) for file in unknown)


def open_archive(spark: SparkSession, options: AuditOptions) -> AuditedArchive:
    """Open an archive and check its segments."""
    source = Archive(options.archive)
    manifest = source.manifest()
    chosen = [file for kind in KINDS for file in manifest.select(kind, channels=options.channels)]
    problems = source.problems(chosen, deep=options.checksums)
    findings = [_fault(FindingKind.MANIFEST_DAMAGED, problem) for problem in manifest.problems]
    lost = []
    for file in chosen:
        problem = problems.get(file.path)
        if problem is not None and _readable(spark, source, file):
            text = f"{problem}; its rows can be read, and were used"
            findings.append(_fault(FindingKind.SEGMENT_CHANGED, text, file))
        elif problem is not None:
            unknown = f"it cannot be read, and the {file.rows} {file.kind} in it are not known"
            findings.append(_fault(FindingKind.SEGMENT_LOST, f"{problem}; {unknown}", file))
            lost.append(file)
    books = None
    if manifest.seals:
        try:
            books = read_books(source.folder, manifest.seals[-1])
        except ArchiveDamaged as error:
            text = (
                f"the archiver's books cannot be read, and nothing was compared with them: {error}"
            )
            findings.append(_fault(FindingKind.BOOKS_DISAGREE, text))
    for seal, text in journal_losses(manifest):
        fault = options.since_us is None or options.since_us <= seal.sealed_us
        findings.append(Finding(FindingKind.GAP, fault=fault, sentence=text))
    if manifest.gone:
        last = moment_text(max(file.last_us for file in manifest.gone))
        text = (
            f"retention has dropped segments with {sum(file.rows for file in manifest.gone)} rows "
            f"up to {last}: events up to then were not looked at"
        )
        findings.append(Finding(FindingKind.RETENTION, fault=False, sentence=text))
    archive = AuditedArchive(spark, options, source, manifest, books, tuple(lost), tuple(findings))
    known = {*archive.names, *archive.names.values()}
    for name in options.channels:
        if name not in known:
            raise InvalidUsage(f"the archive {options.archive} has no channel {name!r}")
    return archive


def _fault(kind: FindingKind, text: str, file: SegmentFile | None = None) -> Finding:
    if file is None:
        return Finding(kind, fault=True, sentence=text)
    return Finding(kind, fault=True, sentence=text, count=file.rows, file=file.path)


def _readable(spark: SparkSession, archive: Archive, file: SegmentFile) -> bool:
    try:
        archive.rows(spark, file.kind, [file]).write.format("noop").mode("overwrite").save()
    except (PySparkException, Py4JError):
        return False
    return True
