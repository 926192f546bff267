#: Steps of an optimizer, each only if the script trains.
#: SPDX-License-Identifier: GPL-3.0-or-later
#: if training
# ---- training, by torch.optim ----
#
# Parameters have the names of their files: "block001/w_q", "head/w_head", "input/embedding", ...

COMPARED = len(TRAINING["losses"])  # steps


def training_settings():
    """The settings of the training: the variant's own, or those that all variants share."""
    own = {key: VARIANT[key] for key in ("optimizer", "learning_rate", "warmup", "schedule")
           if VARIANT.get(key) is not None}
    return {**EXPERIMENT["training"], **own}


def learning_rate(step):
    """The rate of a step, counted from 0: a linear warm-up, then the schedule."""
    settings = training_settings()
    rate, warmup, steps = settings["learning_rate"], settings["warmup"], settings["steps"]
    if step < warmup:
        return rate * (step + 1) / warmup
    done = (step - warmup) / (steps - warmup)
    return rate * {"constant": 1, "cosine": (1 + math.cos(math.pi * done)) / 2, "linear": 1 - done,
                   "inverse-sqrt": math.sqrt(max(warmup, 1) / (step + 1))}[settings["schedule"]]


def embed(ids, tables):
    """The input of the network for token ids [B, T]."""
#: if ngpt
    return tables["embedding"][ids]
#: else
    scale = EXPERIMENT["data"]["embed_scale"]
    x = (math.sqrt(d) if scale == "sqrt-d-model" else scale) * tables["embedding"][ids]
    if "position" in tables:
        x = x + tables["position"]
#: if token-types
    types = EXPERIMENT["data"]["token_types"]
    x = x + tables["token_type"][torch.arange(T) * types // T]
#: end
    return x
#: end


def batch_loss(arrays, step, head, parts, tables):
    """The loss of the minibatch of a step."""
    ids, targets = arrays["batches/ids"][step].long(), arrays["batches/targets"][step].long()
#: if encoder-vocab
    inputs = {"x0": embed(ids, {**tables, "embedding": tables["encoder_embedding"]})}
#: else
    inputs = {"x0": embed(ids, tables)}
#: end
#: if encoder-decoder
    inputs["y0"] = embed(arrays["batches/decoder_ids"][step].long(), tables)
#: end
    h = run_parts(inputs, head, parts, tables["embedding"].dtype)[-1][1][0]
#: if tied-head
    head = {**head, "w_head": tables["embedding"].T}  # one matrix with two uses
#: end
#: if head-transform
    h = transform(h, head)
#: end
    logits = linear(h, head, "w_head")
#: if ngpt
    logits = math.sqrt(d) * head["s_z"] * logits
#: end
#: if logit-scale
    logits = logit_scale() * logits
#: end
#: if logit-cap
    logits = soft_cap(logits, VARIANT["logit_cap"])
#: end
    return F.cross_entropy(logits.reshape(-1, V), targets.reshape(-1))


def named_parameters(head, parts, tables):
    """All parameters that a training has, by name."""
    named = {f"input/{name}": tensor for name, tensor in tables.items()}
    for part, (p_input, blocks) in zip(PARTS, parts):
        for block, p in enumerate([p_input, *blocks]):
            named.update({folder(part, block) + name: tensor for name, tensor in p.items()})
    named.update({f"head/{name}": tensor for name, tensor in head.items()})
    fixed = ["head/w_head"] * (VARIANT["init"]["head"] == "tied")
    if VARIANT["attention"] == "uniform":  # queries and keys are not there
        fixed += [name for name in named if name.endswith(("w_q", "w_k", "b_q", "b_k"))]
    return {name: tensor for name, tensor in named.items() if name not in fixed}


def is_matrix(name, tensor):
    last = name.split("/")[-1]
    is_table = last == "relative_bias" or last.startswith("mix_") and "_w_" not in last  # biases, weights of streams
    return tensor.dim() >= 2 and not is_table


#: if mup
def rate_factor(name, tensor):
    """The factor of muP on the learning rate of a parameter (Yang et al. 2022, table 3)."""
    ratio, is_sgd = d / VARIANT["init"]["mup_base"], training_settings()["optimizer"] == "sgd"
    if name == "head/w_head":
        return 1 / ratio
    if is_matrix(name, tensor) and not name.startswith("input/"):
        return 1 if is_sgd else 1 / ratio
    more_heads, last = SHAPE["d_head"] is not None, name.split("/")[-1]
    is_shared_by_heads = VARIANT["qk_norm"] != "full" and last.startswith(("gain_", "bias_")) and \
        last.endswith(("_q", "_k", "_v"))
    keeps_its_size = (tensor.numel() == 1 or name in ("head/b_head", "head/s_z")
                      or (is_shared_by_heads if more_heads else last == "relative_bias"))
    return ratio if is_sgd and not keeps_its_size else 1


#: end
def make_optimizer(named):
    """The optimizer over the parameters that are trained. Matrices decay, vectors and numbers do not."""
    settings, frozen = training_settings(), []
    if not settings["embeddings"]:
        frozen = [name for name in named if name.startswith("input/")]
    elif EXPERIMENT["data"]["positions"] == "sinusoidal":
        frozen = ["input/position"]
    trained = {name: tensor for name, tensor in named.items() if name not in frozen}
    groups = [{"params": [tensor], "weight_decay": settings["weight_decay"] if is_matrix(name, tensor) else 0.0}
              for name, tensor in trained.items()]
#: if mup
    for group, factor in zip(groups, (rate_factor(name, tensor) for name, tensor in trained.items())):
        group.update(factor=factor, weight_decay=group["weight_decay"] / factor)  # rate times decay stays
#: end
    if settings["optimizer"] == "sgd":
        return torch.optim.SGD(groups, lr=settings["learning_rate"], momentum=settings["momentum"])
    kind = torch.optim.AdamW if settings["optimizer"] == "adamw" else torch.optim.Adam
    return kind(groups, lr=settings["learning_rate"], betas=(settings["beta1"], settings["beta2"]),
                eps=settings["epsilon"])


#: if ngpt
@torch.no_grad()
def normalize(named, trained):
    """Give the rows of the embedding and what each feature reads or writes of the stream the length 1 again."""
    for name, tensor in named.items():
        if tensor.dim() == 2 and any(tensor is each for each in trained) and is_matrix(name, tensor):
            rows = name.startswith("input/") or name.endswith(("w_o", "w_2"))
            tensor /= tensor.norm(dim=1 if rows else 0, keepdim=True)


#: end
def train(arrays, steps, dtype=torch.float64, show=None):
    """Train from the arrays' weights; return the loss before each step, and the parameters at the start and the end."""
    clip, losses = training_settings()["clip"], []
    head, parts = parameters(arrays, dtype)
    tables = leaves({name.removeprefix("input/"): x for name, x in arrays.items() if name.startswith("input/")}, dtype)
    named = named_parameters(head, parts, tables)
    start = {name: tensor.detach().clone() for name, tensor in named.items()}
    optimizer = make_optimizer(named)
    trained = [tensor for group in optimizer.param_groups for tensor in group["params"]]
    for step in range(steps):
        loss = batch_loss(arrays, step, head, parts, tables)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(trained, clip)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step)
#: if mup
            group["lr"] *= group["factor"]
#: end
        optimizer.step()
#: if ngpt
        normalize(named, trained)
#: end
        losses.append(float(loss))
        if show:
            show(step, losses[-1])
    return losses, start, {name: tensor.detach() for name, tensor in named.items()}


def print_training(arrays, steps):
    """Train and print the loss of each step; beside it that of Normscope, if the weights are its own."""
    compared = TRAINING["losses"] if "trained/input/embedding" in arrays else []
    print(f"training: {'step':>5}{'learning rate':>15}{'loss':>12}" + f"{'Normscope':>12}" * bool(compared))

    def show(step, loss):
        theirs = f"{compared[step]:>12.6g}" if step < len(compared) else ""
        print(f"training: {step:>5}{learning_rate(step):>15.4g}{loss:>12.6g}{theirs}")

    train(arrays, steps, show=show)
    if TRAINING["diverged"]:
        print(f"training: step {COMPARED} diverged in Normscope, in float32")


def training_differences(arrays):
    """Yield (difference, words) for every compared loss, and for every parameter after the last compared step.

    Those of a parameter are relative to the norm of its change. Where the gradient is only rounding, Adam's steps still
    have the size of the learning rate, and training can enlarge rounding errors. So a difference does not count if that
    of torch's own float32 is a tenth of it or more.
    """
    (losses, start, wanted), (rough, _, roughly) = (train(arrays, COMPARED, dtype) for dtype in
                                                    (torch.float64, torch.float32))
    for step, (have, near, want) in enumerate(zip(losses, rough, TRAINING["losses"])):
        size = max(abs(have), 10 / TOLERANCE * abs(near - have))
        yield abs(have - want) / size, f"loss of step {step}: {have:.9g} here, {want:.9g} in Normscope"
    names = {name.removeprefix("trained/") for name in arrays if name.startswith("trained/")}
    for name in sorted(names ^ wanted.keys()):
        yield math.inf, f"{name} is a parameter on one side only"
    for name in sorted(names & wanted.keys()):
        here, theirs = wanted[name], arrays[f"trained/{name}"].double().reshape(wanted[name].shape)
        if has_zero_gradient(name.rsplit("/", 1)[-1]):
            yield None, name  # only rounding
            continue
        size = max(norm_of(here - start[name]), 10 / TOLERANCE * norm_of(roughly[name].double() - here))
        gap = norm_of(theirs - here)
        words = f"{name} after {COMPARED} steps: {gap:.3g} of {norm_of(here - start[name]):.3g} apart"
        yield 0.0 if gap == 0 else gap / size if size > 0 else math.inf, words


#: end
