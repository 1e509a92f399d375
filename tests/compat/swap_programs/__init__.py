"""The programs of the swap matrix: functions of a Cell that build a graph, run it and check what comes."""

from swap_programs import cancel, errors, flow, functions, queues, state, steps, traces, values

MODULES = [values, state, queues, flow, functions, steps, errors, cancel, traces]
PROGRAMS = [program for module in MODULES for program in module.PROGRAMS]
