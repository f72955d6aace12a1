"""The results as Markdown."""

import statistics


def median_result(results):
    """The run with the median wall time; with an even number of runs the slower of the two in the middle."""
    return sorted(results, key=lambda result: result.wall)[len(results) // 2]


def task_table_head():
    """The first two lines of the main table."""
    head = (
        "task", "expected", "tool", "verdict", "states", "wall s", "CPU s", "states/s", "bytes/state", "in the store",
        "peak MiB", "compile s", "wall ÷ Semper", "with compile ÷ Semper", "peak ÷ Semper",
    )  # fmt: skip
    return "\n".join((row(head), row("---" if index < 4 else "--:" for index in range(len(head)))))


def task_table_rows(rows):
    """Lines of the main table. `rows` are (task, tool, result, result of Semper or None)."""
    lines = []
    for task, tool, result, semper in rows:
        compared = comparable(result, semper)
        lines.append(
            row((
                task.name,
                task.expected,
                tool,
                answer(task, result),
                whole(result.states),
                f"{result.wall:.2f}",
                f"{result.processor:.2f}",
                whole(result.states_per_second),
                decimal(result.bytes_per_state) if many(result) else "",
                decimal(result.store_bytes) if many(result) else "",
                whole(result.peak_bytes / (1 << 20)),
                f"{result.preparation:.2f}" if result.preparation else "",
                ratio(result.wall, semper.wall) if compared else "",
                ratio(result.wall + result.preparation, semper.wall) if compared else "",
                ratio(result.peak_bytes, semper.peak_bytes) if compared else "",
            ))
        )  # fmt: skip
    return "\n".join(lines)


def summary(rows):
    """The geometric mean of SPIN's time and memory relative to Semper's, by configuration, over tasks of some size."""
    by_tool = {}
    for _, tool, result, semper in rows:
        if not comparable(result, semper) or not many(result):
            continue
        by_tool.setdefault(tool, []).append((
            result.wall / semper.wall,
            result.processor / semper.processor,
            (result.wall + result.preparation) / semper.wall,
            result.peak_bytes / semper.peak_bytes,
        ))  # fmt: skip
    if not by_tool:
        return ""
    head = ("tool", "tasks", "wall ÷ Semper", "CPU ÷ Semper", "with compile ÷ Semper", "peak ÷ Semper")
    lines = [row(head), row(("---", *["--:"] * 5))]
    for tool, ratios in by_tool.items():
        means = [f"{statistics.geometric_mean(column):.2f}" for column in zip(*ratios)]
        lines.append(row((tool, len(ratios), *means)))
    return "\n".join(lines)


def answer(task, result):
    """The verdict, with what has to be said about it."""
    note = f" ({result.note})" if result.note else ""
    return result.verdict + (" **wrong**" if wrong(task, result) else "") + note


def comparable(result, semper):
    """Whether both tools came to the same verdict."""
    return semper is not None and result is not semper and definite(semper) and result.verdict == semper.verdict


def definite(result):
    return result.verdict in ("holds", "violated")


def wrong(task, result):
    """A definite verdict that is not the expected one."""
    return definite(result) and result.verdict != task.expected


def many(result):
    """Whether there are enough states for bytes per state to say something: a verifier starts with some megabytes."""
    return (result.states or 0) >= 100_000


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def whole(value):
    return "" if value is None else f"{value:,.0f}"


def decimal(value):
    return "" if value is None else f"{value:.1f}"


def ratio(value, reference):
    return f"{value / reference:.2f}" if reference else ""
