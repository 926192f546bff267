#: The second half of torch-script.py.
#: SPDX-License-Identifier: GPL-3.0-or-later
# ---- weights and input: from Normscope, or drawn by torch ----

def read_npy(path):
    data = path.read_bytes()
    length = int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:10 + length].decode("latin-1"))
    dtype = {"<f4": torch.float32, "<i4": torch.int32}[header["descr"]]
    return torch.frombuffer(bytearray(data[10 + length:]), dtype=dtype).view(header["shape"])


def dumped_arrays():
    folder = pathlib.Path(__file__).resolve().parent
    return {path.relative_to(folder).with_suffix("").as_posix(): read_npy(path) for path in folder.rglob("*.npy")}


def scheme_std(name, n_in, n_out, block):
    """Standard deviation from init.scheme; block is None for the head."""
    init, last = VARIANT["init"], name in last_matrices()
    in_mitchell = n_in if name in ("w_2", "shared_w_2") else d
    xavier = math.sqrt(2 / (n_in + n_out))
    return {"xavier-normal": xavier, "xavier-uniform": xavier, "lecun-normal": math.sqrt(1 / n_in),
            "kaiming-normal": math.sqrt(2 / n_in), "normal": init["std"], "small": math.sqrt(2 / (5 * d)),
            "mitchell": math.sqrt(1 / (len(SUBS) * in_mitchell * block) if last else 1 / d),
            "t5": math.sqrt(1 / (n_in * D_HEAD if name.endswith("w_q") else n_in)),
            "fairseq": xavier * (math.sqrt(0.5) if name.endswith(("w_q", "w_k", "w_v")) else 1)}[init["scheme"]]


def last_matrices():
    """The last matrix of each branch."""
    ffn = ("w_2", "shared_w_2")
    return (*ffn, "w_o", "cross_w_o") if VARIANT["attention_output"] else (*ffn, "w_v", "cross_w_v")


def residual_std(name, std, part, block):
    """Apply init.residual to the standard deviation of a matrix in a block."""
    rule = VARIANT["init"]["residual"]
    depth = DEPTH[part]
    n = len(PARTS[part]) * depth
    factors = {"deepnorm": (4 * n) ** -0.25, "sub-ln": math.sqrt(math.log(n)), "t-fixup": 0.67 * depth ** -0.25}
#: if encoder-decoder
    if part == "encoder":
        m = DEPTH["decoder"]
        factors.update({"deepnorm": 0.87 * (L ** 4 * m) ** (-1 / 16),
                        "sub-ln": math.sqrt(math.log(3 * m) * math.log(2 * L) / 3)})
    else:
        factors["t-fixup"] = (9 * depth) ** -0.25
#: end
    if rule in factors:  # scales all matrices except queries and keys, and what weights the experts
        return std if name.endswith(("w_q", "w_k", "router", "gate")) else std * factors[rule]
    if rule == "ds-init":
        return std / math.sqrt(block)
    if rule == "fixup" and not name.endswith(("router", "gate")):
        layers = (3 if GATED else 2) if "w_1 w_2 w_3".find(name[-3:]) >= 0 else 3 + VARIANT["attention_output"]
        n = sum(len(subs) * DEPTH[part] for part, subs in PARTS.items())  # the branches of all parts
        return 0.0 if name in last_matrices() else std * n ** (-1 / (2 * layers - 2))
    if name not in last_matrices():
        return std
    if rule == "wang":
        return 2 / (depth * math.sqrt(d))
    return std * {"none": 1, "fixup": 1, "gpt2": 1 / math.sqrt(len(SUBS) * depth)}.get(rule, rule)


def draw_normal(*shape, std):
    """Normal weights."""
#: if truncated
    bound = VARIANT["init"]["truncate"] * std
    return torch.nn.init.trunc_normal_(torch.empty(*shape), std=std, a=-bound, b=bound) if std > 0 else \
        torch.zeros(*shape)
#: else
    return torch.randn(*shape) * std
#: end


#: if not tied-head
def draw_head():
    """Draw W_head, to which init.residual does not apply."""
#: if ngpt
    return F.normalize(torch.randn(d, V), dim=0)
#: else
    rule = VARIANT["init"]["head"]
    if rule == "scheme":
        return draw_weight(d, V, scheme_std("w_head", d, V, None))
    return draw_normal(d, V, std=1 / math.sqrt(d) if rule == "lecun" else rule)
#: end


#: end
def draw_weight(n_in, n_out, std):
    if VARIANT["init"]["scheme"] in ("xavier-uniform", "fairseq"):
        return torch.empty(n_in, n_out).uniform_(-1, 1) * math.sqrt(3) * std
    return draw_normal(n_in, n_out, std=std)


#: if embedded
def draw_positions():
    """Position vectors [T, d]."""
    data = EXPERIMENT["data"]
    if data["positions"] == "learned":
        return draw_normal(T, d, std=data["embed_std"])
    if data["positions"] == "sinusoidal":
        feature = torch.arange(d)
        angle = torch.arange(T)[:, None] / 10000 ** ((feature - feature % 2) / d)
        return torch.where(feature % 2 == 0, torch.sin(angle), torch.cos(angle))
    return torch.zeros(T, d)


#: end
def draw_input():
    """Draw x0 [B, T, d], y0 [B, T, d] for a decoder, and targets [B, T]."""
#: if minibatches
    B = M * SHAPE["batch"]  # sequences in all minibatches
#: end
    data, n = EXPERIMENT["data"], B * T
#: if embedded
#: if not patches
    scale = math.sqrt(d) if data["embed_scale"] == "sqrt-d-model" else data["embed_scale"]
#: end
#: end
#: if gaussian
    drawn = {name: torch.randn(B, T, d) for name in ("x0", "y0")[:len(PARTS)]}
#: if patches
    pixels, added = torch.randn(B, T, SHAPE["patch_features"]), draw_positions().repeat(B, 1, 1)
#: if class-token
    pixels[:, 0] = 0.0
    added[:, 0] += draw_normal(d, std=data["embed_std"]) if data["class_token"] == "normal" else 0.0
#: end
    drawn.update({"pixels": pixels, "x0_added": added})
#: else
#: if class-token
    patches = scale * drawn["x0"]
    patches[:, 0] = draw_normal(d, std=data["embed_std"]) if data["class_token"] == "normal" else 0.0
    drawn["x0"] = patches + draw_positions()
#: end
#: end
#: if ngpt
    drawn["x0"] = F.normalize(drawn["x0"], dim=-1)
#: end
    targets = torch.randint(V, (B, T))
#: if class-token-loss
    targets[:, 1:] = -1
#: end
    return {**drawn, "targets": targets}
#: else
#: if text
    text = data["text"].encode()
    ids = torch.tensor([text[i % len(text)] for i in range(len(PARTS) * n + 1)])
    streams = [ids[i * n:] for i in range(len(PARTS))]
#: else
#: if encoder-vocab
    streams = [torch.randint(size, (n + 1,)) for size in (SHAPE["encoder_vocab"], V)]
#: else
    streams = [torch.randint(V, (n + 1,)) for _ in PARTS]
#: end
#: end
    embedding = draw_normal(V, d, std=data["embed_std"])
    added = draw_positions()
#: if ngpt
    embedding, scale = F.normalize(torch.randn(V, d)), 1.0
#: end
#: if training
    positions = added
#: end
#: if token-types
    types = draw_normal(data["token_types"], d, std=data["embed_std"])
    added = added + types[torch.arange(T) * data["token_types"] // T]
#: end
#: if encoder-vocab
    encoder_embedding = draw_normal(SHAPE["encoder_vocab"], d, std=data["embed_std"])
    tables = (encoder_embedding, embedding)
#: else
    tables = (embedding, embedding)
#: end
    drawn = {name: scale * table[ids[:n]].view(B, T, d) + added
             for name, table, ids in zip(("x0", "y0"), tables, streams)}
#: if tied-head
    drawn["embedding"] = embedding
#: end
#: if training
    drawn["input/embedding"] = embedding
#: if encoder-vocab
    drawn["input/encoder_embedding"] = encoder_embedding
#: end
    if data["positions"] != "none":
        drawn["input/position"] = positions
#: if token-types
    drawn["input/token_type"] = types
#: end
#: end
    return {**drawn, "targets": streams[-1][1:n + 1].view(B, T)}
#: end


def own_arrays(seed):
    torch.manual_seed(seed)
    arrays = draw_input()
#: if cross-entropy
#: if tied-head
    arrays["head/w_head"] = arrays.pop("embedding").T
#: else
    arrays["head/w_head"] = draw_head()
#: end
#: if patches
    n = SHAPE["patch_features"]
    w_patch = draw_weight(n, d, scheme_std("w_patch", n, d, 1))
    arrays[folder(next(iter(PARTS)), 0) + "w_patch"] = w_patch
    arrays["x0"] = embed_patches(arrays, {"w_patch": w_patch}, w_patch.dtype)
#: end
#: if head-transform
    arrays["head/w_head_dense"] = draw_weight(d, d, scheme_std("w_head_dense", d, d, 1))
#: end
#: else
#: if minibatches
    each = [torch.randn(B, T, d) for _ in range(M)]
    arrays["upstream"] = torch.cat([upstream / upstream.norm() for upstream in each]) / M  # for the mean over all
#: else
    arrays["upstream"] = torch.randn(B, T, d)
    arrays["upstream"] /= arrays["upstream"].norm()
#: end
#: end
    for part in PARTS:
#: if relative
        table = torch.randn(VARIANT["position_buckets"], HEADS) / math.sqrt(d)
#: if mup
        table *= math.sqrt(d / VARIANT["init"]["mup_base"])
#: end
        arrays[folder(part, 0) + "relative_bias"] = table
#: end
        for block in range(1, DEPTH[part] + 1):
            for name, n_in, n_out, _ in matrices(part):
#: if ngpt
                rows = name in last_matrices()  # these write vectors of the stream, the others read them
                arrays[folder(part, block) + name] = F.normalize(torch.randn(n_in, n_out), dim=1 if rows else 0)
#: else
                std = residual_std(name, scheme_std(name, n_in, n_out, block), part, block)
#: if experts
                if name in ("w_1", "w_2", "w_3"):
                    each = [draw_weight(n_in, n_out, std) for _ in range(VARIANT["experts"])]
                    arrays[folder(part, block) + name] = torch.stack(each)
                    continue
#: end
                arrays[folder(part, block) + name] = draw_weight(n_in, n_out, std)
#: end
#: if gain
    rows = len(arrays["x0"]) * T  # of all minibatches
    for site in range(HEAD_SITE):
        arrays[f"probes/site{site:03d}"] = torch.randn(PATHS["gain"]["probes"], rows, d)
#: end
    return arrays


# ---- table and comparison ----

COLUMNS = (@COLUMNS@)


#: if expected
def as_shown(value):
    """Return NaN for a negative value, the signed root of a negative unbiased square."""
    return math.nan if value is not None and value < 0 else value


#: end
def print_table(values):
#: if expected
    values = {name: [as_shown(value) for value in sites] for name, sites in values.items()}
#: end
    columns = [name for name in COLUMNS if name in values]
    print(f"{'block':>6}" + "".join(f"{name:>12}" for name in columns))
    for site in range(HEAD_SITE):
        part = max((name for name in PARTS if FIRST[name] <= site), key=FIRST.get)
#: if encoder-decoder
        if site == FIRST[part]:
            print(part)
#: end
        cells = (values[name][site] for name in columns)
        print(f"{site - FIRST[part]:>6}" + "".join(f"{'' if value is None else f'{value:.4g}':>12}" for value in cells))
    head = [f"{name} {sites[-1]:.4g}" for name, sites in values.items() if sites[-1] is not None]
    print("head: " + ", ".join(head) if head else "no head")


def has_zero_gradient(name):
    """Return True if the gradient of a parameter is exactly zero.

    The softmax is invariant to a vector added to every key, unless rotary positions turn it or a soft cap bends the
    scores, and constant scores have no gradient.
    """
    key_biases = {"bias_attn_k", "bias_cross_k"} | ({"b_k", "cross_b_k"} if VARIANT["qk_norm"] == "none" else set())
#: if rotary
    if D_HEAD > 1:
        key_biases -= {"b_k", "bias_attn_k"}
#: end
#: if score-cap
    key_biases = set()
#: end
    constant_scores = VARIANT["attention"] == "uniform" or T == 1 or attention_scale() == 0
    only_in_scores = name.split("_")[-1] in ("q", "k", "qk") or name.endswith("cross_pre")  # feeds only queries
    return name in key_biases or constant_scores and only_in_scores


def may_cancel(name):
    return name.split("_")[-1] in ("q", "k") or name.startswith(("scale_", "alpha_", "mix_"))


def block_sites(values):
    return [site for site, value in enumerate(values["block"]) if value is not None]


def zero_gradients(values):
    """Return (name, site) of the blocks' gradients that are 0 in theory, and in float32 only rounding errors."""
    return {(name, site) for name in values if has_zero_gradient(name) for site in block_sites(values)
            if values[name][site] is not None}


def rounding_errors(arrays, values):
    """Return (name, site) of the blocks' gradients that float32 cannot distinguish from zero: sums that cancel, for
    example if all tokens are nearly equal.

    Detect them by running torch in float32 on inputs perturbed by half a unit in the last place: the result differs
    from float64. So may the directions of the tokens' differences, where those of one sequence are nearly 0.
    """
    in_blocks, found = block_sites(values), set()
    generator = torch.Generator().manual_seed(0)
    for _ in range(3):
        perturbed = {name: x.double() * (1 + 2.0 ** -24 * (2 * torch.randint(2, x.shape, generator=generator) - 1))
                     if x.is_floating_point() else x for name, x in arrays.items()}
        for name, sites in measure(perturbed, torch.float32).items():
            limit = 1e-2 if name == "participation" else 3e-5 if may_cancel(name) else math.inf
            for site in in_blocks if limit < math.inf else ():
                want = values[name][site]
                if want is not None and not abs(sites[site] - want) <= limit * abs(want):
                    found.add((name, site))
    return found


# these may be negative
COSINES = ("token_cos", "identity_share", "grad_cos", "grad_cos_prev", "cos_x_prev", "cos_x_last",
           "entropy", "entropy_cross", "max_logit", "max_logit_cross",
           "share_input", *(f"{name}_{sub}" for name in ("skip_cos", "grad_skip_cos", "share")
                            for sub in ("attn", "cross", "ffn")))
TOKENS = ("token_residual", "participation")  # differences between tokens: rounding is relative to the tokens


def difference(name, site, have, want, values, rounding):
    """Relative difference. The scale is at least 0.01 for a cosine, 1e-3 of the block's gradient for rounding error."""
    if have == want:
        return 0.0
    scale = abs(have)
    if name == "token_residual":
        scale = max(scale, 1e-3)
    elif name == "participation":
        scale *= max(1.0, 1e-3 / values["token_residual"][site])
    elif name.startswith("grad_skip_ratio"):
        scale = max(scale, 1e-3)  # gradients that cancel within a branch
    elif name.startswith("grad_skip_cos"):
        scale = max(scale, 0.01) * max(1.0, 1e-3 / (values[name.replace("cos", "ratio")][site] or math.inf))
    elif name in COSINES:
        scale = max(scale, 0.01)
    elif (name, site) in rounding or have == 0 and name.startswith("mix_streams"):  # equal streams: 0 but for rounding
        scale = max(scale, 1e-3 * (values["block"][site] or 0.0))
    off = abs(have - want) / scale if scale > 0 else math.inf
    return math.inf if math.isnan(off) else off


#: if expected
def difference_of_squares(name, site, have, want, noise, rounding):
    """Difference of the squares of expected gradients, relative to the scale of their rounding errors.

    Normscope writes NaN for a negative square.
    """
    allowed = 2 * noise[name][site] ** 2
    if (name, site) in rounding:
        allowed += (1e-3 * noise["block"][site]) ** 2
    square = math.copysign(have ** 2, have)
    off = max(square, 0) if math.isnan(want) else abs(square - want ** 2)
    return off / allowed if off > 0 else 0.0


#: end
def largest_difference(values, others, rounding, noise):
    """Return the largest difference, what it is of, of how many numbers, and how many could not be compared."""
    count, beyond, worst, where = 0, 0, 0.0, "none"
    for name, sites in NUMBERS.items():
        for site, (want, have) in enumerate(zip(sites, values[name])):
            if want is None:
                continue
#: if expected
            if name not in ("grad_x", "loss", "identity", "abs_x", "norm_x", *COSINES, *TOKENS) and \
                    not name.startswith(("rms_", "skip_", "grad_skip_")):
                count += 1
                off = difference_of_squares(name, site, have, want, noise, rounding)
                if off > worst:
                    worst, where = off, f"{name} at site {site}: {have:.9g} here, {want:.9g} in Normscope, in squares"
                continue
#: end
            underflows = name not in COSINES and have < 1e-290 and want < 1e-290 and have != want
            equal = name == "participation" and \
                (not values["token_residual"][site] > 1e-6 or (name, site) in rounding)  # no directions left
            if not math.isfinite(want) or underflows or equal:
                beyond += 1  # overflow in float32 or underflow in float64
                continue
            count += 1
            off = difference(name, site, have, want, values, rounding)
            if off > worst:
                worst, where = off, f"{name} at site {site}: {have:.9g} here, {want:.9g} in Normscope"
    for off, words in others:
        if off is None:
            beyond += 1  # likewise, or only rounding
            continue
        count += 1
        if not off <= worst:
            worst, where = off, words
    return worst, where, count, beyond


def compare(arrays, values, others):
    """Print the largest difference, also of others, (difference, words); return True if it is within the tolerance."""
    noise = None
#: if expected
    noise = measure(arrays, estimate="noise")
#: end
    if NUMBERS.keys() != values.keys():
        print(f"quantities missing on one side: {', '.join(sorted(NUMBERS.keys() ^ values.keys()))}")
        return False
    for name, sites in NUMBERS.items():
        for site, (want, have) in enumerate(zip(sites, values[name])):
            if (want is None) != (have is None):
                print(f"{name} at site {site} is {have} here and {want} in Normscope")
                return False
    rounding = zero_gradients(values)
    worst, where, count, beyond = largest_difference(values, others, rounding, noise)
    if worst > TOLERANCE:  # look for what only rounds, which takes three more passes
        rounding |= rounding_errors(arrays, values)
        worst, where, count, beyond = largest_difference(values, others, rounding, noise)
    print(f"largest relative difference to Normscope: {worst:.3g} ({where}), of {count} numbers")
    if rounding:
        print(f"rounding error, compared relative to their block's gradient: {len(rounding)} numbers")
    if beyond:
        print(f"out of range in float32 or float64, or only rounding, not compared: {beyond} more numbers")
    return count > 0 and worst <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--own-weights", action="store_true", help="draw weights and input with torch's generator")
    parser.add_argument("--seed", type=int, default=EXPERIMENT["sampling"]["seed"], help="for --own-weights")
#: if training
    parser.add_argument("--steps", type=int, default=COMPARED, help=f"to train, {COMPARED} by default")
#: end
    options = parser.parse_args()
#: if training
    batches = {name: x for name, x in dumped_arrays().items() if name.startswith("batches/")}
    if not 0 <= options.steps <= len(batches.get("batches/ids", ())):
        parser.error(f"--steps: the folder has the minibatches of {len(batches.get('batches/ids', ()))} steps")
#: end
    arrays = own_arrays(options.seed) if options.own_weights else dumped_arrays()
    values, others = measure(arrays), []
    print_table(values)
#: if paths
    maps = measure_paths(arrays)
    print_paths(maps)
    others += path_differences(maps)
#: end
#: if training
    arrays |= batches
    print_training(arrays, options.steps)
#: end
    if options.own_weights:
        return 0
#: if training
    others += training_differences(arrays)
#: end
    return 0 if compare(arrays, values, others) else 1


if __name__ == "__main__":
    sys.exit(main())
