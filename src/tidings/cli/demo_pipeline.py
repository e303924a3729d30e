"""What the data pipeline says of a demo: a report and an audit of its archive, on Spark."""

from __future__ import annotations

from pathlib import Path

from tidings.cli import render
from tidings.cli.pipeline_command import show_figures, show_sections
from tidings.errors import JavaNotFound, MissingExtra

# Where Spark is told of the evening: enough for a small archive.
_MEMORY = "1g"


def show_pipeline(archive: Path) -> bool:
    """Shows a report and an audit of an archive; whether all of it is explained.

    Where Spark or Java is missing, one line says what to install, and nothing is wrong.
    """
    render.say()
    render.say("The same evening from its archive, on Spark", "bold")
    try:
        from tidings.pipeline.session.job import require_spark, spark_job

        require_spark()
    except (JavaNotFound, MissingExtra) as error:
        render.say(f"Left out: {error}")
        return True
    from tidings.pipeline.audit import AuditOptions, run_audit
    from tidings.pipeline.audit.view import audit_figures, audit_sections
    from tidings.pipeline.report import ReportOptions, run_report
    from tidings.pipeline.report.view import report_figures, report_sections
    from tidings.pipeline.session import SparkOptions

    with render.steps() as progress, spark_job(SparkOptions(memory=_MEMORY)) as spark:
        report = run_report(spark, ReportOptions(str(archive)), progress)
        audit = run_audit(spark, AuditOptions(str(archive)), progress)
    show_figures(report_figures(report))
    show_sections(list(report_sections(report)), most=6)
    render.say()
    render.say("Audit: the rules asked again of every event, against what became of it", "bold")
    show_figures(audit_figures(audit))
    show_sections(list(audit_sections(audit)), most=6)
    return not audit.status
