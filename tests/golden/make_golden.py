# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/golden/data: experiments and what PyTorch's autograd in float64 says about them.

    /usr/bin/python3 tests/golden/make_golden.py BUILD/src/cli/normscope-cli

The program serves for its weights only, `normscope-cli dump`; every number comes from reference.py. The weights are
the same on every machine, so they are not stored. Run it again when configs.py grows or a key is added.
"""

import json
import math
import re
import sys
from pathlib import Path

import configs
import reference
from cli import Cli

DATA = Path(__file__).parent / "data"
RANDOM_SEED, RANDOM_COUNT = 2026, 30
DIGITS = 9
MAX_BYTES = 1_500_000


def number(value):
    return None if value is None else float(f"{value:.{DIGITS - 1}e}")


def golden(experiment, arrays):
    values = reference.measure(experiment, arrays)
    zeros = sorted(reference.structural_zeros(experiment))
    for name, sites in values.items():
        for site, value in enumerate(sites):
            if value is None:
                continue
            if not math.isfinite(value):
                raise ValueError(f"{name} at site {site} is {value}")
            if name in zeros:
                block = values["block"][site]
                if value > 1e-12 * block:
                    raise ValueError(f"{name} at site {site} should be 0 and is {value}, in a block of {block}")
                sites[site] = 0.0
    return {"format": "normscope-golden", "version": 1, "experiment": experiment, "zeros": zeros,
            "expected": {name: [number(value) for value in sites] for name, sites in sorted(values.items())}}


def to_text(document):
    """JSON with a line for each quantity, so that a change shows in a diff."""
    def compact(value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    expected = ",\n".join(f"  {compact(name)}: {compact(sites)}" for name, sites in document["expected"].items())
    rest = "".join(f" {compact(key)}: {compact(value)},\n" for key, value in document.items() if key != "expected")
    return f"{{\n{rest} \"expected\": {{\n{expected}\n }}\n}}\n"


def check_coverage(experiments, help_text):
    """Each key takes every value it has few of; the keys and choices are those of the program itself."""
    used = {}
    for experiment in experiments:
        for path, value in configs.leaves(experiment).items():
            used.setdefault(path, []).append(value)
    for path, values in configs.VALUES.items():
        missing = [value for value in values if value not in used[path]]
        if missing:
            raise ValueError(f"{path} never takes {missing}")
    constant = {"format", "version", "name", "sampling.seeds", "shape.stack"}
    for path, values in used.items():
        if path not in constant and len({json.dumps(value) for value in values}) < 2:
            raise ValueError(f"{path} is always {values[0]}")

    # "--activation=ACTIVATION  ... one of relu, gelu, silu"
    listed = 0
    options = re.split(r"(?m)^\s+(?=-)", help_text)
    for path in used:
        name = "--" + path.split(".", 1)[-1 if path.startswith(("shape.", "data.", "sampling.")) else 0]
        name = name.replace("_", "-")
        for option in options:
            choices = re.search(r"one of ([\w-]+(?:,\s+[\w-]+)*)", option)
            if re.match(re.escape(name) + r"[= \s]", option) and choices:
                for choice in re.split(r",\s+", choices.group(1)):
                    listed += 1
                    value = {"on": True, "off": False, "true": True, "false": False}.get(choice, choice)
                    if choice != "encoder-decoder" and value not in used[path] and choice not in used[path]:
                        raise ValueError(f"{path} never takes {choice}, which --help lists")
    return listed


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cli = Cli(sys.argv[1])
    chosen = {**configs.FIXED, **configs.random_configs(RANDOM_SEED, RANDOM_COUNT)}
    documents = {}
    for name, overrides in chosen.items():
        asked = configs.build(overrides)
        experiment, arrays, _ = cli.dump(asked)
        if configs.leaves(experiment).keys() != configs.leaves(asked).keys():
            raise ValueError(f"keys differ: {configs.leaves(experiment).keys() ^ configs.leaves(asked).keys()}")
        try:
            documents[name] = golden(experiment, arrays)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error

    listed = check_coverage([document["experiment"] for document in documents.values()], cli.call("run", "--help"))
    texts = {name: to_text(document) for name, document in documents.items()}
    total = sum(len(text.encode()) for text in texts.values())
    if total > MAX_BYTES:
        raise ValueError(f"{total} bytes, {MAX_BYTES} are allowed")

    DATA.mkdir(exist_ok=True)
    for old in DATA.glob("*.json"):
        old.unlink()
    for name, text in texts.items():
        (DATA / f"{name}.json").write_text(text, encoding="utf-8")
    values = sum(value is not None for document in documents.values()
                 for sites in document["expected"].values() for value in sites)
    print(f"{len(texts)} configurations, {values} values, {total} bytes; {listed} choices of --help are covered")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
