"""The programs of the swap matrix: functions of a Cell that build a graph, run it and check what comes."""

from swap_programs import cancel, errors, flow, functions, state, steps, traces, values

PROGRAMS = [
    program for module in (values, state, flow, functions, steps, errors, cancel, traces) for program in module.PROGRAMS
]
