#!/usr/bin/env python3
"""Writes the typed op builders from the table of op signatures.

    gen_ops.py --table op_signatures.tsv --out DIR [--parts N]

Makes DIR/ops.h (declarations) and DIR/ops_1.cc … ops_N.cc (definitions). Each public op becomes a
function of its name in namespace rheo::builder::ops:

    Output MatMul(const Scope& scope, const Input& a, const Input& b, const MatMulAttrs& attrs = {});

Inputs come first, then attrs without a default that no input determines, then a struct of the attrs
with defaults. Ops without outputs give an Operation, with one output that output (a vector when it
is a list), with several a struct `<Op>Outputs`. Const is left out (const_op.h has it), as are
internal ops (leading '_').
"""

import argparse
import json
import pathlib
import re

HAND_WRITTEN = {"Const"}
RESERVED = set(
    """alignas alignof and asm auto bool break case catch char class concept const continue default delete do
    double else enum explicit export extern false float for friend goto if inline int long mutable namespace new
    not operator or private protected public register requires return short signed sizeof static struct switch
    template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor
    scope attrs call operation""".split())

TYPES = {"string": "std::string", "int": "int64_t", "float": "float", "bool": "bool", "type": "::rheo::DType",
         "shape": "::rheo::PartialShape", "tensor": "::rheo::Tensor", "func": "::rheo::op::FuncRef"}
BY_VALUE = {"int", "float", "bool", "type"}

ATTR = re.compile(r"^(?P<name>\w+):(?P<kind>list\(\w+\)|\w+)(?P<allowed>\{[^}]*\})?(?:>=(?P<min>-?\d+))?"
                  r"(?:=(?P<default>.*))?$")
ARG = re.compile(r"^(?P<name>\w+):(?P<type>.*)$")


def split_items(column):
    """Splits "a; b" at the semicolons outside of quotes."""
    return [item.strip() for item in re.findall(r'((?:"(?:\\.|[^"\\])*"|[^;"])+)', column) if item.strip()]


def safe(name):
    return name + "_" if name in RESERVED else name


class Arg:
    def __init__(self, text):
        match = ARG.match(text)
        self.name, kind = match["name"], match["type"]
        if kind.startswith("Ref("):
            kind = kind[4:-1]
        self.is_list = "*" in kind or kind.startswith("list(")
        # The names of attrs that the argument's type is made of (and dtypes, which no attr is named as).
        self.attrs = set(re.findall(r"\w+", kind.removeprefix("list")))


class Attr:
    def __init__(self, text):
        match = ATTR.match(text)
        if not match:
            raise ValueError(f"cannot read the attr '{text}'")
        kind = match["kind"]
        self.name, self.default = match["name"], match["default"]
        self.is_list = kind.startswith("list(")
        self.kind = kind[5:-1] if self.is_list else kind

    def type(self):
        return f"std::vector<{TYPES[self.kind]}>" if self.is_list else TYPES[self.kind]

    def parameter(self):
        by_value = self.kind in BY_VALUE and not self.is_list
        return f"{self.type()} {safe(self.name)}" if by_value else f"const {self.type()}& {safe(self.name)}"

    def initialiser(self):
        """The default as a C++ initialiser, with its leading ' = ' or empty braces."""
        if self.kind in ("tensor", "func"):  # left to the runtime's own default
            return "{}"
        if self.is_list:
            inner = self.default[1:-1]
            return " = {" + ", ".join(literal(self.kind, v) for v in inner.split(",") if v) + "}" if inner else "{}"
        return "{}" if self.default in ("?", '""') else " = " + literal(self.kind, self.default)


def literal(kind, text):
    if kind == "string":
        return c_string(json.loads(text))
    if kind == "float":
        if text.lstrip("-") == "inf":
            return text.replace("inf", "std::numeric_limits<float>::infinity()")
        return text + ("f" if re.search(r"[.e]", text) else ".0f")
    if kind == "type":
        return "::rheo::DType::k" + text[0].upper() + re.sub(r"_(\w)", lambda m: m[1].upper(), text[1:])
    if kind == "shape":
        return "::rheo::PartialShape{" + text[1:-1].replace("?", "-1") + "}"
    return text


def c_string(text):
    return '"' + "".join(c if c.isprintable() and c not in '"\\' and ord(c) < 127 else f"\\{ord(c):03o}"
                         for c in text) + '"'


class Op:
    def __init__(self, line):
        self.name, inputs, outputs, attrs, _ = line.split("\t")
        self.inputs = [Arg(x) for x in split_items(inputs)]
        self.outputs = [Arg(x) for x in split_items(outputs)]
        inferred = set().union(*(arg.attrs for arg in self.inputs))
        self.attrs = [a for a in map(Attr, split_items(attrs)) if a.name not in inferred]
        self.required = [a for a in self.attrs if a.default is None]
        self.optional = [a for a in self.attrs if a.default is not None]

    def result(self):
        if not self.outputs:
            return "Operation"
        if len(self.outputs) > 1:
            return self.name + "Outputs"
        return "std::vector<Output>" if self.outputs[0].is_list else "Output"

    def parameters(self):
        yield "const Scope& scope"
        for arg in self.inputs:
            kind = "std::vector<Output>" if arg.is_list else "Input"
            yield f"const {kind}& {safe(arg.name)}"
        for attr in self.required:
            yield attr.parameter()

    def signature(self, declaration):
        parameters = list(self.parameters())
        if self.optional:
            parameters.append(f"const {self.name}Attrs& attrs" + (" = {}" if declaration else ""))
        return f"{self.result()} {self.name}({', '.join(parameters)})"

    def declaration(self):
        lines = []
        if self.optional:
            lines.append(f"struct {self.name}Attrs {{")
            lines += [f"  {a.type()} {safe(a.name)}{a.initialiser()};" for a in self.optional]
            lines.append("};")
        if len(self.outputs) > 1:
            lines += [f"struct {self.name}Outputs {{", "  Operation operation;"]
            lines += [f"  {'std::vector<Output>' if o.is_list else 'Output'} {safe(o.name)};" for o in self.outputs]
            lines.append("};")
        return "\n".join(lines + [self.signature(declaration=True) + ";"])

    def definition(self):
        lines = [self.signature(declaration=False) + " {", f'  OpCall call(scope, "{self.name}");']
        lines += [f"  call.In({safe(a.name)});" for a in self.inputs]
        lines += [f'  call.Attr("{a.name}", {safe(a.name)});' for a in self.required]
        lines += [f'  call.Attr("{a.name}", attrs.{safe(a.name)});' for a in self.optional]
        take = [f"call.{'List' if o.is_list else 'One'}({i})" for i, o in enumerate(self.outputs)]
        if len(take) > 1:
            take = ["{call.Finish(), " + ", ".join(take) + "}"]
        elif take:
            lines.append("  call.Finish();")
        lines.append(f"  return {take[0] if take else 'call.Finish()'};")
        return "\n".join(lines + ["}"])


HEADER = """// Typed builders of all public ops. Generated by tools/gen_ops.py; do not edit.
#ifndef RHEO_BUILDER_OPS_H_
#define RHEO_BUILDER_OPS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "rheo/builder/const_op.h"
#include "rheo/builder/input.h"
#include "rheo/builder/scope.h"

namespace rheo::builder::ops {

%s

}  // namespace rheo::builder::ops

#endif  // RHEO_BUILDER_OPS_H_
"""

SOURCE = """// Generated by tools/gen_ops.py; do not edit.
#include "rheo/builder/op_call.h"
#include "rheo/builder/ops.h"

namespace rheo::builder::ops {

%s

}  // namespace rheo::builder::ops
"""


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--parts", type=int, default=4, help="number of .cc files")
    args = parser.parse_args()

    lines = [line for line in args.table.read_text().splitlines() if line and line[0] not in "#_"]
    ops = [op for op in map(Op, lines) if op.name not in HAND_WRITTEN]
    args.out.mkdir(parents=True, exist_ok=True)
    write_if_changed(args.out / "ops.h", HEADER % "\n\n".join(op.declaration() for op in ops))
    for part in range(args.parts):
        mine = ops[part * len(ops) // args.parts:(part + 1) * len(ops) // args.parts]
        write_if_changed(args.out / f"ops_{part + 1}.cc", SOURCE % "\n\n".join(op.definition() for op in mine))


if __name__ == "__main__":
    main()
