# SPDX-License-Identifier: GPL-3.0-or-later
"""Record a model of PyTorch by hooks: what normscope.record() returns."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ._measure import Tensor, by_sequence, dot, first_tensor, fit, replace_tensor, square, sums_of
from ._program import Error
from ._recognize import (INPUT, OUTPUT, Event, Part, Plan, find_branches, find_norms, find_owner, find_tensors,
                         guess_experiment)
from ._recording import FORMAT, VERSION, Recording, Tree
from ._version import VERSION as PACKAGE_VERSION

Hook = Any


def _describe_lists(model: torch.nn.Module) -> str:
    found = [(path, len(module)) for path, module in model.named_modules()
             if isinstance(module, (torch.nn.ModuleList, torch.nn.Sequential)) and len(module)]
    return ', '.join(f'{path!r} ({n} blocks)' for path, n in found if path) or 'none; give a list of modules'


def _get_module(model: torch.nn.Module, path: str) -> Any:
    module: Any = model
    for name in path.split('.'):
        children = getattr(module, '_modules', {})
        if name not in children:
            raise Error(f'blocks={path!r}: the model has no such module; lists of blocks: {_describe_lists(model)}')
        module = children[name]
    return module


def find_blocks(model: torch.nn.Module, blocks: Any) -> dict[str, torch.nn.Module]:
    """Return the blocks by their paths in the model."""
    chosen = _get_module(model, blocks) if isinstance(blocks, str) else blocks
    if isinstance(chosen, (torch.nn.ModuleList, torch.nn.Sequential, Sequence)):
        found = list(chosen)
    elif isinstance(chosen, torch.nn.ModuleDict):
        found = list(chosen.values())
    else:
        raise Error(f'blocks={blocks!r}: a {type(chosen).__name__} is no list of blocks; lists of blocks: '
                    f'{_describe_lists(model)}')
    paths = {id(module): path for path, module in model.named_modules()}
    for block in found:
        if id(block) not in paths:
            raise Error(f'blocks: a {type(block).__name__} is not a module of the model; lists of blocks: '
                        f'{_describe_lists(model)}')
    if not found:
        raise Error(f'blocks={blocks!r}: the list is empty; lists of blocks: {_describe_lists(model)}')
    if len({id(block) for block in found}) < len(found):
        raise Error('blocks: one module is in the list twice; blocks that share their weights cannot be told apart')
    return {paths[id(block)]: block for block in found}


class _Pass:
    """What one forward and backward pass gave: sums by site and quantity, on the device."""

    def __init__(self) -> None:
        self.sums: dict[tuple[int, str], dict[str, Any]] = {}
        self.gradients: dict[tuple[int, str], Tensor | None] = {}
        self.stream: dict[int, tuple[Tensor, int]] = {}
        self.upper: dict[int, Tensor] = {}  # the gradients at x_L and at the site that came last
        self.shape: tuple[int, ...] = ()
        self.loss: Tensor | None = None


class Recorder(Recording):
    """A recording that is made: within `with`, every forward and backward pass of the model is recorded."""

    def __init__(self, model: torch.nn.Module, blocks: Any, options: Mapping[str, Any]) -> None:
        super().__init__({})
        self._model = model
        self._blocks = find_blocks(model, blocks)
        self._options = options
        self._plans: dict[int, Plan] = {}
        self._tensors: dict[int, dict[str, Part]] = {}
        self._steps: list[Tree] = []
        self._passes: list[_Pass] = []
        self._parameters: dict[str, dict[int, Tensor]] = {}  # squares of gradients
        self._marks: dict[str, tuple[int, ...]] = {}
        self._in_model = False
        self._ignored = False  # the model runs without gradients
        self._handles: list[Any] = []
        self._kept: list[Any] = []
        self._first: _Pass | None = None
        self._ended = False
        for sub in ('attn', 'ffn'):
            path = options[sub]
            for name, block in self._blocks.items():
                if path is not None and path not in dict(block.named_modules()):
                    raise Error(f'{sub}={path!r}: the block {name} has no such module; it has '
                                f'{", ".join(each for each, _ in block.named_children())}')

    # ---- with ----

    def __enter__(self) -> Recorder:
        self._handles.append(self._model.register_forward_pre_hook(self._begin_model))
        self._handles.append(self._model.register_forward_hook(self._end_model))
        for i, block in enumerate(self._blocks.values()):
            self._hook_block(i, block)
        for name, parameter in self._model.named_parameters():
            if parameter.requires_grad:
                self._hook_parameter(name, parameter)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles, self._kept = [], []
        if kind is None:
            self.step()
            self._finish()

    def step(self) -> None:
        """End a step: the next forward pass begins another one. It is only needed where neither the weights change nor
        the gradients are set to zero between two steps."""
        passes = [each for each in self._passes if each.gradients]
        if passes and self._parameters:
            self._steps.append(self._number_step(passes))
        if passes or self._ended:
            self._passes, self._parameters, self._marks = [], {}, {}
        self._ended = False

    def set_loss(self, loss: Any) -> None:
        """Set the loss of the last forward pass, for a model that does not return it."""
        if self._passes:
            self._passes[-1].loss = torch.as_tensor(loss).detach()

    # ---- passes and steps ----

    def _begin_pass(self) -> None:
        if any(each.gradients for each in self._passes) and self._has_stepped():
            self.step()
        self._passes = [each for each in self._passes if each.gradients or each.sums]
        self._passes.append(_Pass())

    def _has_stepped(self) -> bool:
        """Whether an optimizer has changed the weights, or the gradients were set to zero, since the last backward
        pass."""
        named = dict(self._model.named_parameters())
        return any(self._mark(named[name]) != mark for name, mark in self._marks.items() if name in named)

    @staticmethod
    def _mark(parameter: Tensor) -> tuple[int, ...]:
        gradient = parameter.grad
        return (parameter._version, -1, -1) if gradient is None else \
            (parameter._version, gradient.data_ptr() if not gradient.is_sparse else 0, gradient._version)

    def _begin_model(self, module: torch.nn.Module, args: Any) -> None:
        self._in_model, self._ignored = True, not torch.is_grad_enabled()
        if not self._ignored:
            self._begin_pass()

    def _end_model(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        if not self._ignored and self._passes:
            loss = output.get('loss') if isinstance(output, dict) else getattr(output, 'loss', output)
            if isinstance(loss, torch.Tensor) and loss.dim() == 0:
                self._passes[-1].loss = loss.detach()
        self._in_model = self._ignored = False

    def _find_pass(self, block: int) -> tuple[_Pass | None, bool]:
        """Return the pass that a call of a block belongs to, and whether it repeats one: a checkpoint computes blocks
        again on the way back."""
        last = self._passes[-1] if self._passes else None
        ran = last is not None and (block + 1, 'x') in last.sums
        if self._ignored:
            return None, False
        if self._in_model:
            if ran:
                raise Error(f'the block {list(self._blocks)[block]} ran twice in one forward pass; blocks that share '
                            'their weights cannot be told apart')
            return last, False
        if ran and last is not None:
            n = len(self._blocks)
            if (n, 'x') in last.gradients and (0, 'x') not in last.gradients or block > 0:
                return last, True
        if block == 0 and torch.is_grad_enabled():
            self._begin_pass()
            last = self._passes[-1]
        return last, False

    # ---- hooks ----

    def _hook_block(self, i: int, block: torch.nn.Module) -> None:
        running: dict[str, Any] = {}

        def add(path: str, side: str, tree: Any) -> None:
            x = first_tensor(tree)
            if not running or x is None:
                return
            call = running['calls'].get((path, side), 0)
            running['calls'][path, side] = call + 1
            if x.shape == running['shape'] and (i not in self._plans or (path, side, call) in self._plans[i].keys):
                running['events'].append(Event(path, side, call, x, x._version))
                self._follow(running['pass'], i, running['events'][-1])

        def begin(module: torch.nn.Module, args: Any) -> Any:
            current, again = self._find_pass(i)
            x = first_tensor(args)
            running.clear()
            if current is None:
                return None
            changed = None
            if i == 0 and x is not None:
                if torch.is_grad_enabled() and not x.requires_grad:
                    fresh = x.detach().requires_grad_()
                    changed, x = replace_tensor(args, x, fresh), fresh
                self._see(current, 0, x, again)
            running.update({'pass': current, 'again': again, 'events': [], 'trail': [], 'calls': {},
                            'shape': None if x is None else x.shape})
            if x is not None:
                running['events'].append(Event(*INPUT, x, x._version))
            return changed

        def end(module: torch.nn.Module, args: Any, output: Any) -> None:
            x = first_tensor(output)
            if not running or x is None:
                return
            current, again, events = running['pass'], running['again'], running['events']
            if events and x.shape == running['shape']:
                events.append(Event(*OUTPUT, x, x._version))
                if i not in self._plans:
                    self._recognize(i, module, events, running['trail'])
                    for event in events[1:-1]:
                        self._follow(current, i, event)
                self._follow(current, i, events[-1])
                if not again:
                    self._measure_branches(current, i, {event.key: event for event in events})
            self._see(current, i + 1, x, again)
            running.clear()

        self._handles += [block.register_forward_pre_hook(begin), block.register_forward_hook(end)]
        for path, module in block.named_modules():
            if path:
                def enter(module: torch.nn.Module, args: Any, path: str = path) -> None:
                    if running:
                        running['trail'].append((len(running['events']), path))
                        add(path, 'in', args)

                def leave(module: torch.nn.Module, args: Any, output: Any, path: str = path) -> None:
                    add(path, 'out', output)
                self._handles += [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]

    def _hook_parameter(self, name: str, parameter: Tensor) -> None:
        def read(*_: Any) -> None:
            if parameter.grad is not None:
                self._read_gradient(name, parameter.grad)
                self._marks[name] = self._mark(parameter)

        if hasattr(parameter, 'register_post_accumulate_grad_hook'):
            self._handles.append(parameter.register_post_accumulate_grad_hook(read))
            return
        with torch.enable_grad():
            node = parameter.expand_as(parameter).grad_fn.next_functions[0][0]  # it adds to parameter.grad
        self._kept.append(node)
        self._handles.append(node.register_hook(read))

    def _read_gradient(self, name: str, gradient: Tensor) -> None:
        """Keep the squares of a gradient: of the parameter, and of its parts."""
        squares: dict[tuple[str, int], Any] = {(name, -1): square(gradient)}
        for i, path in enumerate(self._blocks):
            if name.startswith(path + '.'):
                for part in self._tensors.get(i, {}).values():
                    if f'{path}.{part.path}' == name and part.count > 1:
                        squares[name, part.index] = square(gradient.chunk(part.count, part.axis)[part.index])
        self._parameters[name] = {part: value for (_, part), value in squares.items()}

    def _recognize(self, i: int, block: torch.nn.Module, events: list[Event], trail: list[tuple[int, str]]) -> None:
        branches = find_branches(events, trail, {sub: self._options[sub] for sub in ('attn', 'ffn')})
        norms = find_norms(block, events, branches)
        self._plans[i] = Plan(branches, norms)
        self._tensors[i] = find_tensors(block, norms)
        paths = dict(block.named_parameters())
        for name, path in (self._options['tensors'] or {}).items():
            if path not in paths:
                raise Error(f'tensors: the block has no parameter {path!r}; it has {", ".join(paths)}')
            self._tensors[i][name] = Part(path)

    # ---- measuring ----

    def _see(self, current: _Pass, site: int, x: Tensor, again: bool) -> None:
        """Measure the stream at a site, and its gradient when it comes."""
        if not again:
            current.sums[site, 'x'] = sums_of(x, self._options['batch_first'])
            if site - 1 in current.stream:
                current.sums[site, 'cos_x_prev'] = self._products(current.stream[site - 1], (x, x._version))
            current.stream[site] = x.detach(), x._version
            if site == 0:
                current.shape = tuple(by_sequence(x.detach(), self._options['batch_first']).shape)
            if site == len(self._blocks):
                for lower, each in current.stream.items():
                    current.sums[lower, 'cos_x_last'] = self._products(each, (x, x._version))
                current.stream.clear()
        if x.requires_grad:
            x.register_hook(lambda gradient: self._see_gradient(current, site, gradient))

    @staticmethod
    def _products(a: tuple[Tensor, int], b: tuple[Tensor, int]) -> dict[str, Any]:
        if a[0]._version != a[1] or a[0].shape != b[0].shape:  # it was changed in place
            return {}
        return {'product': dot(a[0], b[0]), 'a': square(a[0]), 'b': square(b[0])}

    def _see_gradient(self, current: _Pass, site: int, gradient: Tensor) -> None:
        key = (site, 'x')
        if key in current.gradients:  # a second backward pass through the same graph
            current.gradients[key] = None
            return
        current.gradients[key] = square(gradient)
        gradient = gradient.detach()
        last = len(self._blocks)
        if site == last:
            current.upper[last] = gradient
        if last in current.upper:
            current.sums[site, 'grad_cos'] = self._products((gradient, gradient._version), (current.upper[last], 0))
        if site + 1 in current.upper:
            above = current.upper.pop(site + 1) if site + 1 < last else current.upper[last]
            current.sums[site + 1, 'grad_cos_prev'] = self._products((gradient, gradient._version), (above, 0))
        current.upper[site] = gradient
        if site == 0:
            current.upper.clear()

    def _follow(self, current: _Pass, i: int, event: Event) -> None:
        """Ask for the gradient at a sum z, or at the output y of a sub-layer within the block."""
        if i not in self._plans or not event.tensor.requires_grad:
            return
        for branch in self._plans[i].branches:
            for what, key in (('z', branch.z), ('y', branch.y)):
                name = (i + 1, f'{what}_{branch.sub}')
                if what == 'z' and branch.sub == 'ffn' and self._is_parallel(i):
                    continue  # the one sum counts as the attention's
                # a copy of the sum, in another type, does not have the whole gradient
                whole = what == 'y' and branch.y != branch.z or 'Add' in type(event.tensor.grad_fn).__name__
                if key == event.key and whole:
                    def see(gradient: Tensor, name: tuple[int, str] = name) -> None:
                        current.gradients[name] = None if name in current.gradients else square(gradient)
                    event.tensor.register_hook(see)

    def _is_parallel(self, i: int) -> bool:
        sums = [branch.z for branch in self._plans[i].branches]
        return len(set(sums)) < len(sums)

    def _measure_branches(self, current: _Pass, i: int, events: Mapping[Any, Event]) -> None:
        site = i + 1
        for branch in self._plans[i].branches:
            keys = [branch.residual, branch.added, branch.z]
            if not all(key in events and events[key].intact for key in keys):
                continue
            residual, added, z = (events[key].tensor for key in keys)
            others = [events[each.added].tensor for each in self._plans[i].branches
                      if each.z == branch.z and each.sub != branch.sub and each.added in events]
            factors = fit(z, [residual, added, *others])
            if branch.sub == 'attn' or not others:
                current.sums[site, f'z_{branch.sub}'] = {'square': square(z), 'numbers': z.numel()}
            if branch.y is not None and branch.y in events:
                y = events[branch.y].tensor
                current.sums[site, f'y_{branch.sub}'] = {'square': square(y), 'numbers': y.numel()}
            if factors is not None:
                a, b = factors[:2]
                current.sums[site, branch.sub] = {'square': square(added) * b * b, 'numbers': added.numel()}
                whole = sum((f * each.detach() for f, each in zip(factors[2:], others)), b * added.detach())
                if branch.sub == 'attn' or not others:
                    current.sums[site, f'skip_{branch.sub}'] = {
                        'product': dot(residual, whole) * a, 'a': square(residual) * a * a, 'b': square(whole)}

    # ---- numbers ----

    def _number_step(self, passes: list[_Pass]) -> Tree:
        from ._numbers import number_step
        if self._first is None:
            self._first = passes[0]
        owners = {i: {path: find_owner(path, self._plans[i].norms, self._tensors[i])
                      for path, _ in block.named_parameters()} for i, block in enumerate(self._blocks.values())
                  if i in self._plans}
        return number_step(len(self._steps), passes, list(self._blocks), self._parameters, self._tensors, owners)

    def _finish(self) -> None:
        ran = [site for each in self._passes for site, name in each.sums if name == 'x' and site > 0]
        if not self._steps and not ran:
            raise Error(f'none of the {len(self._blocks)} blocks ran with gradients: call the model inside the with '
                        'block, not under torch.no_grad()')
        if not self._steps:
            raise Error('no backward pass came to the blocks: call loss.backward() inside the with block')
        self.json = self._make_tree()

    def _make_tree(self) -> Tree:
        first = self._first
        b, t, d = first.shape if first is not None and first.shape else (None, None, None)
        tensors = {name: part.path for each in self._tensors.values() for name, part in each.items()}
        branches = {branch.sub: branch.added[0] for plan in self._plans.values() for branch in plan.branches}
        shape = {'depth': len(self._blocks), 'd_model': d, 'seq_len': t, 'batch': b}
        experiment = self._options['experiment'] or guess_experiment(
            next(iter(self._blocks.values())), self._plans.get(0), self._tensors.get(0, {}), shape)
        return {'format': FORMAT, 'version': VERSION,
                'generator': f'normscope {PACKAGE_VERSION}, torch {torch.__version__}',
                'name': self._options['name'], 'model': type(self._model).__name__, 'blocks': list(self._blocks),
                'shape': shape, 'tensors': tensors, 'branches': branches, 'experiment': experiment,
                'steps': self._steps}
