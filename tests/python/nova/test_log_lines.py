"""Names and answers from outside are quoted in log lines: one record is one line, and no escape."""

import ast

import pytest
from cospot.nova import log
from cospot.nova.state.errors import AuditError, CloudError, EvictorError
from sample_files import ROOT

#: A name that forges a line and clears the terminal; as it is shown.
NAME = "web\n2026-05-01 ERROR evil\x1b[2J\u202eabc"
SHOWN = "web\\u000a2026-05-01 ERROR evil\\u001b[2J\\u202eabc"


@pytest.mark.parametrize(
    ("text", "values"), [("host %s is over", [NAME]), (f"host {NAME} is over", []), ("%(a)s", [])]
)
def test_a_record_is_one_line(caplog, text, values):
    logger = log.getLogger("cospot.nova.sample")
    logger.warning(text, *values)
    shown = "%(a)s" if text == "%(a)s" else f"host {SHOWN} is over"
    assert [record.getMessage() for record in caplog.records] == [shown]


def test_plain_records_keep_their_arguments(caplog):
    log.getLogger("cospot.nova.sample").warning("%d of %s", 3, "h1")
    assert caplog.records[0].args == (3, "h1")


def test_asking_twice_for_a_logger_quotes_once(caplog):
    for _ in range(2):
        logger = log.getLogger("cospot.nova.sample")
    logger.warning("%s", NAME)
    assert len(logger.logger.filters) == 1
    assert caplog.records[0].getMessage() == SHOWN


@pytest.mark.parametrize("kind", [EvictorError, CloudError, AuditError])
def test_texts_of_errors_are_quoted(kind):
    """oslo.log appends the error that is being handled to a record, past the record's text."""
    assert str(kind(f"nova GET /servers: {NAME}")) == f"nova GET /servers: {SHOWN}"


def test_every_module_logs_through_it():
    nova = ROOT / "python" / "cospot" / "nova"
    for path in nova.rglob("*.py"):
        imports = list(ast.walk(ast.parse(path.read_text())))
        modules = {node.module for node in imports if isinstance(node, ast.ImportFrom)}
        modules |= {
            name.name for node in imports if isinstance(node, ast.Import) for name in node.names
        }
        if path != nova / "log.py":
            assert not any((each or "").startswith("oslo_log") for each in modules), path
