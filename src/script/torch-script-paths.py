#: Maps of the residual stream, each only if the script compares it.
#: SPDX-License-Identifier: GPL-3.0-or-later
#: if paths
# ---- maps, over all rows and by autograd ----
#
# Each function returns a map by its name: {row: {column: value}}, with the keys of PATHS.

def all_minibatches(arrays):
#: if minibatches
    return list(minibatches(arrays))
#: else
    return [arrays]
#: end


def streams(passes):
    """x_l of all sites."""
    return [x for _, (_, stream, *_) in passes for x in stream]


def norm_of_all(tensors):
    """The norm of several tensors together; None counts as 0."""
    return math.hypot(*(norm_of(x) for x in tensors))


#: if contributions
def contributions(arrays):
    """Shares of the part's input and of its sub-layers in every x_l, held linear in them."""
    shares = {}
    chains = [run_gradients(one, torch.float64)[1] for one in all_minibatches(arrays)]
    for part, passes in zip(PARTS, zip(*chains)):
        linear_ones = [linear_in_branches(*given) for given, _ in passes]
        for l in range(1, DEPTH[part] + 1):
            products = [products_with(l, *each) for each in linear_ones]
#: if not minibatches
            [products] = products
#: end
            places = ["input", *((sub, block) for block in range(l) for sub in PARTS[part])]
            shares[str(FIRST[part] + l)] = {
                "input 0" if place == "input" else f"{place[0]} {place[1] + 1}": share(place, products)
                for place in places}
    return {"share": shares}


#: end
#: if lengths
def both_inputs(arrays, hook):
    """Return the gradients at the inputs of the parts in a pass of two copies of the batch, with the real gradient at
    the output of the one and none at that of the other. The hook maps the pair of gradients that enters a branch."""
    head, passes, _ = run_gradients(arrays, torch.float64)
    gradient = gradient_of(passes[-1][1][0])
    pair = {name: torch.cat([x, x]) if name in ("x0", "y0", "pixels", "x0_added") else x for name, x in arrays.items()}
    pair_passes = run_parts(pair, head, [given[1:3] for given, _ in passes], torch.float64,
                            lambda g: torch.cat(hook(*g.chunk(2))))
    inputs = [stream[0] for _, (_, stream, *_) in pair_passes]
    h = pair_passes[-1][1][0]
    return [g.chunk(2) for g in torch.autograd.grad(h, inputs, torch.cat([gradient, torch.zeros_like(gradient)]))]


def at_inputs(arrays, hook):
    """The same for each part, with the rows of all minibatches."""
    return [tuple(torch.cat(each) for each in zip(*pairs))
            for pairs in zip(*(both_inputs(one, hook) for one in all_minibatches(arrays)))]


#: if exact-lengths
def lengths(arrays):
    """The gradient at the input of each part by the number k of branches on its paths. With a phase p at every branch,
    which turns the pair of gradients, it is the sum of exp(ikp) g_k, so g_k comes from a Fourier transform."""
    n = 1 + sum(
        DEPTH[part] * (len(subs) if VARIANT["topology"] == "sequential" else 1) for part, subs in PARTS.items())
    phases = [2 * math.pi * j / n for j in range(n // 2 + 1)]  # the others give the conjugates
    weights = [(1 if j == 0 or 2 * j == n else 2) / n for j in range(len(phases))]

    def at(p):
        c, s = math.cos(p), math.sin(p)
        return at_inputs(arrays, lambda re, im: (c * re - s * im, s * re + c * im))

    found = {"share": {}, "norm": {}, "mean_length": {}, "rest": {}}
    for part, pairs in zip(PARTS, zip(*(at(p) for p in phases))):
        whole = pairs[0][0]  # the phase 0: the gradient itself
        largest, _ = size_of(whole)
        re, im = (torch.stack([pair[j] for pair in pairs]).flatten(1) / largest for j in (0, 1))
        g, k = (whole / largest).flatten(), torch.arange(n)
        turn = torch.outer(k, torch.arange(len(phases))).double() * 2 * math.pi / n
        parts = (torch.cos(turn) * torch.tensor(weights)) @ re + (torch.sin(turn) * torch.tensor(weights)) @ im
        shares, norms = parts @ g / (g @ g), parts.norm(dim=1) / g.norm()
        row = str(FIRST[part])
        found["share"][row] = {str(j): float(value) for j, value in enumerate(shares)}
        found["norm"][row] = {str(j): float(value) for j, value in enumerate(norms)}
        found["mean_length"][row] = {"": float(shares @ k.double())}
        found["rest"][row] = {"": float((parts.sum(0) - g).norm() / g.norm())}
    return found


#: else
def lengths(arrays):
    """The mean number of branches on the paths of the gradient at the input of each part: with each branch multiplied
    by t, the derivative of the gradient at t = 1, which is the second of the pair, along the gradient."""
    found = {}
    for part, (g, derivative) in zip(PARTS, at_inputs(arrays, lambda g, derivative: (g, derivative + g))):
        largest, _ = size_of(g)
        g, derivative = g / largest, derivative / largest
        found[str(FIRST[part])] = {"": float((derivative * g).sum() / g.square().sum())}
    return {"mean_length": found}


#: end
#: end
#: if gain
def gain(arrays):
    """How the norm of a random gradient at x_m changes on its way down to x_l: mean over the probes, standard error."""
    gains, errors = {}, {}
    chains = [streams(run_parts(one, *parameters(one, torch.float64), torch.float64))
              for one in all_minibatches(arrays)]
    for m in range(HEAD_SITE):
        found = []
        for probe in arrays[f"probes/site{m:03d}"].double():
            vs = probe.view(len(chains), B, T, d)
            gradients = [torch.autograd.grad(x[m], x[:m + 1], v, retain_graph=True, allow_unused=True)
                         for x, v in zip(chains, vs)]
            found.append([norm_of_all(g for g in each if g is not None) / norm_of(probe) for each in zip(*gradients)])
        of_sites = torch.tensor(found, dtype=torch.float64).T
        for l, probes in enumerate(of_sites):
            gains.setdefault(str(l), {})[str(m)] = float(probes.mean())
            if len(probes) > 1:
                errors.setdefault(str(l), {})[str(m)] = float(probes.std() / math.sqrt(len(probes)))
    return {"gain": gains, "gain_error": errors}


#: end
#: if similarity
def similarity(arrays):
    """Cosines of the residual stream at two sites, and of its gradients."""
    chains = [streams(run_gradients(one, torch.float64)[1]) for one in all_minibatches(arrays)]
    maps = {}
    for name, values_of in (("cos_x", torch.detach), ("cos_g", gradient_of)):
        units = torch.stack([direction(torch.cat([values_of(x) for x in site])).flatten() for site in zip(*chains)])
        maps[name] = {str(l): {str(m): float(row[m]) for m in range(l, HEAD_SITE)}
                      for l, row in enumerate(units @ units.T)}
    return maps


#: end
#: if update
def by_site(head, parts):
    """All parameters as (site, name)."""
    named = {}
    for part, (p_input, blocks) in zip(PARTS, parts):
        for site, p in enumerate([p_input, *blocks], FIRST[part]):
            named.update({(site, name): tensor for name, tensor in p.items()})
    named.update({(HEAD_SITE, name): tensor for name, tensor in head.items()})
    return named


def update(arrays):
    """What one step of the optimizer on all parameters changes, found by taking it."""
    settings, ones = PATHS["update"], all_minibatches(arrays)
    rate, gradients = settings["learning_rate"], {}
    for one in ones:
        head, passes, _ = run_gradients(one, torch.float64)
        for key, p in by_site(head, [given[1:3] for given, _ in passes]).items():
            if not settings["matrices_only"] or key[1].startswith(("w_", "cross_w_", "router", "shared_")):
                gradients[key] = gradients.get(key, 0) + gradient_of(p) / len(ones)
    directions = {key: g.sign() if settings["optimizer"] == "adam" else g for key, g in gradients.items()}

    def stepped(rate):
        """Return x_l of all sites and h, each with the rows of all minibatches, and the loss."""
        head, parts = parameters(arrays, torch.float64)
        with torch.no_grad():
            for key, p in by_site(head, parts).items():
                if key in directions:
                    p -= rate * directions[key]
        found = []
        for one in ones:
            passes = run_parts(one, head, parts, torch.float64)
            h = passes[-1][1][0]
            found.append(([x.detach() for x in (*streams(passes), h)], float(loss_of(h, head, one))))
        xs, losses = zip(*found)
        return [torch.cat(x) for x in zip(*xs)], sum(losses) / len(ones)

    (old, old_loss), (new, new_loss), (near, _) = stepped(0), stepped(rate), stepped(rate / 10)
    *ratios, h_ratio = [norm_of(b - a) / norm_of(a) if norm_of(a) > 0 else math.nan for a, b in zip(old, new)]
    change, tenth = new[-1] - old[-1], near[-1] - old[-1]
    first_order = -rate * sum(float((g * directions[key]).sum()) for key, g in gradients.items())
    weights, head_site = by_site(*parameters(arrays, torch.float64)), str(HEAD_SITE)
    found = {"update_x": {str(site): {"": value} for site, value in enumerate(ratios)},
             "update_h": {head_site: {"": h_ratio}}, "loss_change": {head_site: {"": new_loss - old_loss}},
             "loss_change_first_order": {head_site: {"": first_order}}, "update_w": {},
             "nonlinearity": {head_site: {"": norm_of(10 * tenth - change) / (norm_of(change) or math.nan)}}}
    for (site, name), u in directions.items():
        size = norm_of(weights[site, name])
        if size > 0:
            found["update_w"].setdefault(str(site), {})[name] = rate * norm_of(u) / size
    return found


#: end
#: if routing
def routing(arrays):
    """The load of every expert in every block, and the gradient norm of its matrices."""
    maps = {"expert_load": {}, "expert_grad": {}}
#: if experts
#: if minibatches
    _, passes, _ = run_all(arrays, torch.float64)
#: else
    _, passes, _ = run_pass(arrays, torch.float64)
#: end
    for part, _, blocks, _, _, _, scores, *_ in passes:
        for site, (p, numbers) in enumerate(zip(blocks, scores), FIRST[part] + 1):
#: if minibatches
            loads = sum(numbers["loads"]) / M
#: else
            loads = numbers["loads"]
#: end
            maps["expert_load"][str(site)] = {str(e): float(load) for e, load in enumerate(loads)}
            maps["expert_grad"][str(site)] = {str(e): expert_norm(p, e) for e in range(VARIANT["experts"])}
#: end
    return maps


#: end
def measure_paths(arrays):
    """Return every map by kind and name."""
    maps = {}
#: if contributions
    maps["contributions"] = contributions(arrays)
#: end
#: if lengths
    maps["lengths"] = lengths(arrays)
#: end
#: if gain
    maps["gain"] = gain(arrays)
#: end
#: if similarity
    maps["similarity"] = similarity(arrays)
#: end
#: if update
    maps["update"] = update(arrays)
#: end
#: if routing
    maps["routing"] = routing(arrays)
#: end
    return maps


def print_paths(maps):
    for kind, of_kind in maps.items():
        for name, rows in of_kind.items():
            for row, columns in rows.items():
                numbers = ", ".join(f"{column} {value:.4g}".strip() for column, value in columns.items())
                print(f"{kind}: {name} at site {row}: {numbers}")


def path_scale(maps, kind, name, row, column):
    """The size to which a difference is relative. Rounding errors of a difference are relative to what it is between;
    those of a share, to 1."""
    size = abs(maps[kind][name][row][column])
#: if gain
    if kind == "gain":
        return maps[kind]["gain"][row][column]
#: end
#: if exact-lengths
    if kind == "lengths":  # paths that cancel each other
        largest = max(maps[kind]["norm"][row].values())
        return max(size, 1e-6 * largest) if name == "norm" else max(size, 0.01 * max(largest, 1))
#: end
#: if update
    if name == "update_w":
        return max(size, 1e-3 * max(maps[kind][name][row].values())) if may_cancel(column) else size
    if name == "nonlinearity":
        return max(size, 0.05 / maps[kind]["update_h"][row][""])
#: end
    return max(size, 0.01)


def path_differences(maps):
    """Yield (difference, words) for every number; a difference of None is not to be compared."""
    for kind, of_kind in PATHS.items():
        for name in sorted(of_kind["numbers"].keys() | maps[kind].keys()):
            wanted, had = of_kind["numbers"].get(name, {}), maps[kind].get(name, {})
            for row in sorted(wanted.keys() | had.keys()):
                for column in sorted(wanted.get(row, {}).keys() | had.get(row, {}).keys()):
                    want, have = wanted.get(row, {}).get(column), had.get(row, {}).get(column)
                    words = f"{name} at site {row} {column}".rstrip() + f": {have} here, {want} in Normscope"
                    if want == have:
                        yield 0.0, words
                    elif want is None and of_kind["overflow"]:
                        yield None, words
                    elif want is None or have is None:
                        yield math.inf, words
#: if update
                    elif name == "update_w" and has_zero_gradient(column):
                        yield None, words  # a direction of rounding errors
#: end
                    elif not math.isfinite(want) or name in ("gain", "gain_error", "norm") and have < 1e-290:
                        yield None, words
                    else:
                        off = abs(have - want) / path_scale(maps, kind, name, row, column)
                        yield math.inf if math.isnan(off) else off, words


#: end
