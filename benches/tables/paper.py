"""The figures of the paper: Dietsch, Heizmann, Langenfeld and Podelski, Fairness modulo theory, CAV 2015.

Table 1 has one row per program and property, Table 2 one per set of programs. The names of the tasks are those of the
benchmark set that the authors published; its files 01 to 23 are the rows of Table 1 in their order.
"""

from typing import NamedTuple, Optional


class Row(NamedTuple):
    """A row of Table 1, the columns of Ultimate LTLAutomizer."""

    task: str
    program: str
    formula: str
    seconds: Optional[float]
    result: str
    finite: Optional[int]
    ranked: Optional[int]
    growth: Optional[str]


TABLE_1 = (
    Row("01-exsec2", "Ex. Sec. 2 of [23]", "F G p", 0.51, "holds", 1, 0, "122"),
    Row("02-fig8-2007", "Ex. Fig. 8 of [21]", "G(p -> F q)", 0.72, "holds", 2, 0, "186"),
    Row("03-toyacquirerelease", "Toy acquire/release", "G(p -> F q)", 0.44, "holds", 1, 1, "129"),
    Row("04-toylinarith1", "Toy linear arith. 1", "p -> F q", 1.10, "violated", 5, 1, "0.28"),
    Row("05-toylinarith2", "Toy linear arith. 2", "p -> F q", 0.82, "holds", 4, 2, "0.24"),
    Row("06-postgreSQL_strmsrv", "PostgreSQL strmsrv", "G(p -> F G q)", 1.04, "holds", 2, 0, "216"),
    Row("07-postgreSQL_strmsrv_wbug", "PostgreSQL strmsrv + bug", "G(p -> F G q)", 0.66, "holds", 2, 0, "216"),
    Row("08-postgreSQL_pgarch", "PostgreSQL pgarch", "F G p", 0.33, "violated", 2, 0, "209"),
    Row("09-postgreSQL_dropbuf_prop1", "PostgreSQL dropbuf", "G p", 3.57, "violated", 1, 1, "148"),
    Row("10-postgreSQL_dropbuf_prop2", "PostgreSQL dropbuf", "G(p -> F q)", 1.37, "holds", 2, 1, "168"),
    Row("11-apache_accept_liveness", "Apache accept()", "G p -> G F q", 502.15, "out of memory", None, None, "209"),
    Row("12-apache_progress", "Apache progress", "G(p -> (F q1 || F q2))", 2.01, "holds", 4, 0, "209"),
    Row("13-windows_os_frag1", "Windows OS 1", "G(p -> F q)", 43.59, "holds", 1, 1, "178"),
    Row("14-windows_os_frag2", "Windows OS 2", "F G p", 0.11, "holds", 1, 0, "176"),
    Row("15-windows_os_frag2_wbug", "Windows OS 2 + bug", "F G p", 0.22, "violated", 1, 0, "174"),
    Row("16-windows_os_frag3", "Windows OS 3", "F G p", 0.08, "holds", 2, 0, "220"),
    Row("17-windows_os_frag4_prop1", "Windows OS 4", "G(p -> F q)", 1.86, "holds", 1, 3, "207"),
    Row("18-windows_os_frag4_prop2", "Windows OS 4", "F p || F q", None, "not run", None, None, None),
    Row("19-windows_os_frag5", "Windows OS 5", "G(p -> F q)", 20.76, "holds", 1, 16, "190"),
    Row("20-windows_os_frag6", "Windows OS 6", "F G p", None, "time-out", 6, 8, "158"),
    Row("21-windows_os_frag6_wbug", "Windows OS 6 + bug", "F G p", 0.05, "violated", 0, 0, "61"),
    Row("22-windows_os_frag7", "Windows OS 7", "G F p", 0.91, "holds", 2, 11, "161"),
    Row("23-windows_os_frag8", "Windows OS 8", "F G p", 53.55, "holds", 4, 55, "168"),
)


class SetRow(NamedTuple):
    """A row of Table 2; averages are over the solved tasks."""

    name: str
    pattern: str
    engine: str
    size: int
    holds: int
    violated: int
    seconds: Optional[float]
    finite: Optional[str]
    ranked: Optional[str]
    growth: Optional[str]


TABLE_2 = (
    SetRow("RERS P14", "eca/Problem14_*", "auto", 50, 19, 21, 107.21, "21", "< 1", "329"),
    SetRow("RERS P15", "eca/Problem15_*", "auto", 50, 24, 0, 103.46, "17", "< 1", "369"),
    SetRow("RERS P16", "eca/Problem16_*", "auto", 50, 15, 1, 297.34, "32", "< 1", "362"),
    SetRow("RERS P17", "eca/Problem17_*", "auto", 50, 26, 0, 56.38, "12", "< 1", "324"),
    SetRow("RERS P18", "eca/Problem18_*", "auto", 50, 21, 0, 262.03, "24", "< 1", "297"),
    SetRow("RERS P19", "eca/Problem19_*", "auto", 50, 0, 0, None, None, None, None),
    SetRow("coolant", "toy/coolant_*", "fairness", 18, 6, 10, 1.75, "2", "1", "258"),
    SetRow("Table 1", "*/[0-2][0-9]-*", "fairness", 23, 15, 5, 16.78, "2", "5", "184"),
)
