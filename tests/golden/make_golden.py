# Copyright (C) 2026 The Normscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write tests/golden/golden.jsonl: experiments and their values from PyTorch's autograd in float64.

    /usr/bin/python3 tests/golden/make_golden.py BUILD/src/cli/normscope-cli [NAME...]

Only the weights come from the program, by `normscope-cli dump`; every expected value comes from reference.py. The
weights are the same on every machine, so they are not stored. Run this again after a change of configs.py or of the
keys.

The file has a line for each configuration, sorted by name. With names, only these lines are written, and all others
stay as they are. A line holds only keys that differ from the program's defaults, so that a new key changes no line, and
values that agree with the old ones to about eight digits keep the old digits. Values that are pure rounding, such as a
gradient of 1e-17, can still change on another machine.
"""

import json
import math
import re
import sys
from pathlib import Path

import configs
import reference
import reference_own
from cli import Cli

FILE = Path(__file__).parent / "golden.jsonl"
RANDOM_SEED, RANDOM_COUNT = 2026, 30
DIGITS = 9
MAX_BYTES = 3_000_000


def number(value):
    return None if value is None or math.isnan(value) else float(f"{value:.{DIGITS - 1}e}")


def only_changed(settings, defaults):
    """Return the settings of one section without those at their defaults."""
    changed = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            value = only_changed(value, defaults[key])
            if not value:
                continue
        elif key in defaults and value == defaults[key]:
            continue
        changed[key] = value
    return changed


def shorten(experiment, defaults):
    """Return an experiment without the settings at their defaults. The shape and the name are kept."""
    variant, usual = experiment["variants"][0], defaults["variants"][0]
    return {"format": experiment["format"], "version": experiment["version"], "shape": experiment["shape"],
            **only_changed({key: experiment[key] for key in ("data", "loss", "sampling")}, defaults),
            "variants": [{"name": variant["name"], **only_changed(variant, usual)}]}


def keep_digits(new, old):
    """Return the new values, but the old one where the two differ by rounding alone."""
    def keep(value, before):
        return before if None not in (value, before) and math.isclose(value, before, rel_tol=20 * 10 ** -DIGITS) \
            else value

    return {name: [keep(*pair) for pair in zip(sites, old[name], strict=True)]
            if len(sites) == len(old.get(name, ())) else sites for name, sites in new.items()}


def golden(experiment, arrays):
    measured, estimate = reference.measure_kinds(experiment, arrays), experiment["sampling"]["estimate"]
    values, noise, signed = measured[estimate], measured["noise"], estimate == "expected"
    lost = reference.buried(experiment, arrays, measured)[estimate]
    values.update(reference_own.measure(experiment, arrays))
    zeros = sorted(reference.structural_zeros(experiment) & values.keys())
    for name, sites in values.items():
        for site, value in enumerate(sites):
            if value is None:
                continue
            if math.isnan(value) and name in reference.RELATIVE | reference_own.QUANTITIES:
                sites[site] = None  # relative to a gradient of 0
                continue
            if not math.isfinite(value):
                raise ValueError(f"{name} at site {site} is {value}")
            if name in zeros:
                block = (noise if signed else values)["block"][site]
                if abs(value) > (1e-6 if signed else 1e-12) * block:
                    raise ValueError(f"{name} at site {site} should be 0 and is {value}, in a block of {block}")
                sites[site] = 0.0
    lost = {name: sorted(sites) for name, sites in sorted(lost.items())}
    return {"experiment": experiment, "zeros": zeros, "buried": lost,
            **({"noise": numbers(noise)} if signed else {}), "expected": numbers(values)}


def numbers(values):
    return {name: [number(value) for value in sites] for name, sites in sorted(values.items())}


def read_lines():
    """Return the lines of the file by name."""
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    return {json.loads(line)["name"]: line for line in text.split("\n") if line}


def check_coverage(experiments, help_text):
    """Check that the experiments cover each key and each choice that --help lists. Return the number of choices."""
    used = {}
    for experiment in experiments:
        for path, value in configs.leaves(experiment).items():
            used.setdefault(path, []).append(value)
    for path, values in configs.VALUES.items():
        missing = [value for value in values if value not in used[path]]
        if missing:
            raise ValueError(f"{path} never takes {missing}")
    constant = {"format", "version", "name", "sampling.seeds"}
    for path, values in used.items():
        if path not in constant and len({json.dumps(value) for value in values}) < 2:
            raise ValueError(f"{path} is {values[0]} in every configuration")

    listed = 0
    for path in used:
        for choice in help_choices(path, help_text):
            listed += 1
            if choice not in used[path]:
                raise ValueError(f"{path} never takes {choice}, which --help lists")
    if listed < 50:
        raise ValueError(f"--help lists only {listed} choices; its format may have changed")
    return listed


def help_choices(path, help_text):
    """Return the words that --help lists for a key. Formats of --help:

    "--activation WORD  Non-linearity of the FFN [one of relu, gelu, silu; default relu]", "[true or false; ...]",
    "[a number from 0 to 1, or deepnorm, admin; ...]", "[a number from 0 to 1, or null; ...]", "[one of none, pre, or
    null; ...]"
    """
    name = path.split(".", 1)[1] if path.startswith(("shape.", "data.", "sampling.")) else path
    option = re.search(rf"(?m)^\s+--{re.sub('[_.]', '-', name)}\s[^\[]*\[([^\]]*);\s+default", help_text)
    if option is None:
        return []
    allowed = " ".join(option.group(1).split())
    null = [None] if allowed.endswith(", or null") else []
    allowed = allowed.removesuffix(", or null")
    if allowed == "true or false":
        return [True, False] + null
    words = re.search(r"(?:^one of |, or )([\w-]+(?:, [\w-]+)*)$", allowed)
    return (words.group(1).split(", ") if words else []) + null


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    cli, names = Cli(sys.argv[1]), set(sys.argv[2:])
    # Without rotary positions and what came after them: the random configurations keep the values that they have.
    chosen = {**configs.FIXED, **configs.random_configs(RANDOM_SEED, RANDOM_COUNT, scores=False)}
    unknown = names - chosen.keys()
    if unknown:
        sys.exit(f"configs.py has no configuration {', '.join(sorted(unknown))}")
    if names:
        chosen = {name: chosen[name] for name in sorted(names)}
    plain = configs.build({})
    defaults, _, _ = cli.dump({key: plain[key] for key in ("format", "version", "shape")}
                              | {"variants": [{"name": "variant"}]})
    defaults["variants"][0]["cross"] = plain["variants"][0]["cross"]  # null, where the dump has the implied values
    old_lines, documents, whole = read_lines(), {}, []
    for name, overrides in chosen.items():
        asked = configs.build(overrides)
        experiment, arrays, _ = cli.dump(asked)
        del experiment["training"]  # changes no pass
        if configs.leaves(experiment).keys() != configs.leaves(asked).keys():
            raise ValueError(f"keys differ: {configs.leaves(experiment).keys() ^ configs.leaves(asked).keys()}")
        experiment["variants"][0]["cross"] = asked["variants"][0]["cross"]  # null where the dump has the implied value
        try:
            document = golden(experiment, arrays)
            if name in old_lines:
                old = json.loads(old_lines[name])
                document.update({key: keep_digits(document[key], old[key])
                                 for key in ("noise", "expected") if key in document and key in old})
            whole.append(experiment)
            documents[name] = {"name": name, **document, "experiment": shorten(experiment, defaults)}
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error

    listed = 0 if names else check_coverage(whole, cli.call("run", "--help"))
    lines = (old_lines if names else {}) | {
        name: json.dumps(document, separators=(",", ":"), ensure_ascii=False) for name, document in documents.items()}
    text = "".join(f"{line}\n" for _, line in sorted(lines.items()))
    total = len(text.encode())
    if total > MAX_BYTES:
        raise ValueError(f"{total} bytes, {MAX_BYTES} are allowed")

    FILE.write_text(text, encoding="utf-8")
    values = sum(value is not None for document in documents.values()
                 for sites in document["expected"].values() for value in sites)
    lost = sum(len(sites) for document in documents.values() for sites in document["buried"].values())
    print(f"{len(documents)} of {len(lines)} configurations, {values} values ({lost} pure rounding in float), "
          f"{total} bytes" + ("" if names else f"; {listed} choices of --help are covered"))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
