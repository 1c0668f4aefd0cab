# SPDX-License-Identifier: MIT
"""Runs nextpixel's generative models from Python.

    import nextpixel
    model = nextpixel.open('weights/fvsbn.gguf')
    ids = model.generate(784, seed=1)          # shape (784, 1, 1)
    nats = model.score(ids[:, 0])              # shape (784, 1): -log p of each id, given the ids before it

All functions work with ids, the integers that a model draws: grey levels, palette colours, tokens. Arrays are NumPy arrays. With the same
file, settings and seed, the ids and all numbers are bit-identical to those of the C library and the browser. Log-probabilities are in nats:
divide by log(2) for bits.
"""

import ctypes
from dataclasses import dataclass

import numpy as np

from . import _c

__all__ = ['Error', 'Model', 'Run', 'AttentionMap', 'open', 'version']

_lib = _c.library


def version():
    """Returns the version of the shared library, such as '1.2.0'."""
    return _lib.nx_version().decode()


class Error(Exception):
    """An error that the library returned. `status` is the name of the error's status, such as 'NX_E_ARGUMENT'."""

    def __init__(self, status, message):
        self.status = _lib.nx_status_name(status).decode()
        super().__init__(f'{self.status}: {message}')


def _check(status, doing, problem=None):
    if status >= 0:
        return status
    reason = ''
    if problem is not None and problem.reason:
        name = problem.name.decode()
        reason = f' ({name}: {problem.reason.decode()})' if name else f' ({problem.reason.decode()})'
    raise Error(status, doing + reason)


def _address(array):
    return array.ctypes.data if array is not None else None


@dataclass(frozen=True)
class Port:
    """An input of a part: an array of the shape `shape`, whose ids are below `values`. If any_length is true, shape[0] is the maximum
    number of items."""

    name: str
    values: int
    shape: tuple
    optional: bool
    any_length: bool


@dataclass(frozen=True)
class Part:
    """A part of a model.

    A part that draws ids has at most `length` positions (0: any number). `span` is the number of ids per position, and ids are below
    `values`. `outputs` is the number of output parameters (logits) per position. `inputs` are Ports; `results` and `maps` are names; `ends`
    are the ids that end a sample. The part has hidden states in `hidden_layers` layers of `hidden_width` values; if `hidden_layers` is 0,
    the part has none.
    """

    index: int
    name: str
    values: int
    span: int
    outputs: int
    length: int
    parameters: int
    inputs: tuple
    results: tuple
    maps: tuple
    ends: tuple
    hidden_layers: int
    hidden_width: int


@dataclass(frozen=True)
class AttentionMap:
    """Attention weights of one map. `weights` has the shape (rows, queries, keys). Each row is one head of one layer, with the index layer
    * heads + head. `keys` names the kind of keys: 'positions', 'places', or the name of the input whose items are the keys.

    In a map over earlier positions, query i is position i of the sequence, and key j is position j - 1. Key 0 is the start, because the input
    is shifted by one.
    """

    name: str
    keys: str
    weights: np.ndarray


def open(path):
    """Opens a GGUF file. Returns a Model. Raises OSError if the file cannot be read. Raises Error, with the name of the invalid key or
    tensor, if the file is not valid."""
    return Model(path)


class Model:
    """A weight file in memory. A model is read-only, so any number of runs may share it."""

    def __init__(self, path):
        data = np.fromfile(path, dtype=np.uint8)
        size, problem, model = ctypes.c_size_t(), _c.Problem(), ctypes.c_void_p()
        _check(_lib.nx_model_size(_address(data), data.size, size, problem), f'{path} cannot be opened', problem)
        self._block = _c.Block(size.value)
        _check(_lib.nx_model_open(self._block.address, size.value, _address(data), data.size, model, problem), f'{path} cannot be opened', problem)
        self._model = model
        self._forms = {}
        #: The parts of the model, and the first part that draws.
        self.parts = tuple(self._part(i) for i in range(_lib.nx_model_parts(model)))
        self.part = next((part for part in self.parts if part.values), self.parts[0])

    def _listed(self, function, struct, part, count):
        entries = [struct() for _ in range(count)]
        for i, entry in enumerate(entries):
            _check(function(self._model, part, i, entry), 'reading the model')
        return entries

    def _part(self, index):
        info = _c.PartInfo()
        _check(_lib.nx_model_part(self._model, index, info), 'reading the model')
        ports = self._listed(_lib.nx_model_port, _c.Port, index, info.inputs)
        results = self._listed(_lib.nx_model_result, _c.Result, index, info.results)
        maps = self._listed(_lib.nx_model_map, _c.Map, index, info.maps)
        self._forms[index] = results, maps
        ends = self._listed(_lib.nx_model_end, ctypes.c_uint32, index, info.ends)
        return Part(index, info.name.decode(), info.values, info.span, info.outputs, info.length, info.parameters_high << 32 | info.parameters_low,
                    tuple(Port(p.name.decode(), p.values, tuple(p.dims), bool(p.optional), bool(p.any_length)) for p in ports),
                    tuple(r.name.decode() for r in results), tuple(m.name.decode() for m in maps), tuple(end.value for end in ends), info.hidden_layers, info.hidden_width)

    @property
    def metadata(self):
        """Returns the metadata of the file, including its model card. The values of the dict are numbers, strings, lists of strings and arrays
        of numbers."""
        entries = {}
        for i in range(_lib.nx_model_metadata_count(self._model)):
            entry = _c.Metadata()
            _check(_lib.nx_model_metadata(self._model, i, entry), 'reading the metadata')
            entries[ctypes.string_at(entry.key, entry.key_bytes).decode()] = _value(entry)
        return entries

    def run(self, part=None, length=0, inputs=None, maps=False, key_bits=0, **settings):
        """Begins a run of a part, by default the first part that draws.

        length    the maximum number of positions, or 0 for the part's own length
        inputs    a dict from the name of each input to its ids
        maps      whether to keep attention weights for Run.attention()
        hidden    whether to keep hidden states for Run.hidden_states()
        settings  the fields of nx_settings: seed (64 bits), samples, temperature, top_k, top_p, min_p, typical_p, repetition, frequency, presence, penalty_last, look_ahead, ...
        """
        return Run(self, self.part if part is None else self.parts[part], length, inputs or {}, maps, key_bits, settings)

    def generate(self, count, known=(), **options):
        """Draws `count` positions after the `known` positions. Returns the ids, int64, shape (drawn, samples, span); an id is -1 where a sample
        has ended. options: the arguments of run()."""
        known = self._ids(known)
        options.setdefault('length', len(known) + count)
        run = self.run(**options)
        if len(known):
            run.put(known, nats=False)
        return run.draw(count)[0]

    def score(self, ids, **options):
        """Returns -log p, in nats, of each id given the ids before it: float32, shape (positions, span). ids: shape (positions) or (positions,
        span). options: the arguments of run()."""
        ids = self._ids(ids)
        options.setdefault('length', len(ids))
        return self.run(**options).put(ids)[:, 0]

    def logits(self, ids, **options):
        """Returns the output parameters at every position of `ids`: float32, shape (positions, outputs). For a categorical distribution, the
        output parameters are logits."""
        ids = self._ids(ids)
        options.setdefault('length', len(ids))
        run = self.run(**options)
        out = np.empty((len(ids), run.part.outputs), np.float32)
        for i in range(len(ids)):
            run.put(ids[i:i + 1])
            out[i] = run.logits()[0]
        return out

    def attention(self, ids, **options):
        """Returns the attention weights at every position of `ids`: a list of AttentionMaps, one for each name in Part.maps."""
        ids = self._ids(ids)
        options.setdefault('length', len(ids))
        run = self.run(maps=True, **options)
        rows = []
        for i in range(len(ids)):
            run.put(ids[i:i + 1])
            rows.append(run.attention())
        out = []
        for index, first in enumerate(rows[0] if rows else []):
            if self._forms[run.part.index][1][index].queries:
                out.append(first)
                continue
            most = max(row[index].weights.shape[2] for row in rows)
            weights = np.zeros((first.weights.shape[0], len(ids), most), np.float32)
            for i, row in enumerate(rows):
                weights[:, i, :row[index].weights.shape[2]] = row[index].weights[:, 0]
            out.append(AttentionMap(first.name, first.keys, weights))
        return out

    def hidden_states(self, ids, layers=None, **options):
        """Returns the hidden states at every position of `ids`: float32, shape (layers, positions, width). layers: indices of layers, by
        default of all layers.

        Layer 0 is the embedding; layer i is the output of block i, before the last norm. Row p is the state from which the id at position p
        was predicted. A text decoder predicts this id after reading id p - 1, so row p is the hidden state of id p - 1. Row 0 is zero,
        because no id precedes position 0. options: the arguments of run()
        """
        ids = self._ids(ids)
        options.setdefault('length', len(ids))
        run = self.run(hidden=True, **options)
        rows = []
        for i in range(len(ids)):
            run.put(ids[i:i + 1], nats=False)
            rows.append(run.hidden_states(layers)[:, 0])
        return np.stack(rows, axis=1) if rows else np.zeros((0, 0, run.part.hidden_width), np.float32)

    def encode(self, inputs, part=0, **settings):
        """Runs a part that draws no ids. Returns a dict from the name of each result to its array. inputs: a dict from the name of each
        input to its ids."""
        return self.run(part=part, inputs=inputs, **settings).results()

    def _ids(self, ids):
        ids = np.asarray(ids)
        if ids.size and ids.dtype.kind not in 'iu':
            raise TypeError(f'ids must be integers, not {ids.dtype}')
        if ids.size and (ids.min() < 0 or ids.max() > 0xFFFFFFFE):
            raise ValueError('ids must be at least 0 and below the values of the part')
        return np.ascontiguousarray(ids, np.uint32).reshape(-1, max(1, self.part.span))


class Run:
    """A run of one part. Known and drawn positions may be mixed in any order. The run's memory is freed with the object."""

    def __init__(self, model, part, length, inputs, maps, key_bits, settings):
        self.model, self.part = model, part
        shape, self._settings = _c.Shape(length=length, key_bits=key_bits), _c.Settings()
        _lib.nx_settings_init(self._settings)
        self._settings.maps = bool(maps)
        seed = int(settings.pop('seed', 0))
        if not 0 <= seed < 1 << 64:
            raise ValueError('seed must be from 0 to 2**64 - 1')
        self._settings.seed_low, self._settings.seed_high = seed & 0xFFFFFFFF, seed >> 32
        known = {name for name, _ in _c.Settings._fields_}
        for name, value in settings.items():
            if name not in known:
                raise TypeError(f'a run has no setting {name}; it has seed, {", ".join(sorted(known - {"seed_low", "seed_high"}))}')
            setattr(self._settings, name, value)
        names = [port.name for port in part.inputs]
        for name in inputs:
            if name not in names:
                raise TypeError(f'part {part.name} has no input {name}; it has {", ".join(names) or "none"}')
        given = {i: np.ascontiguousarray(inputs[port.name], np.uint32).ravel() for i, port in enumerate(part.inputs) if port.name in inputs}
        for i, ids in given.items():
            if part.inputs[i].any_length:
                shape.counts[i] = len(ids) // int(np.prod(part.inputs[i].shape[1:]))
        self._shape = shape
        size, problem, session = ctypes.c_size_t(), _c.Problem(), ctypes.c_void_p()
        _check(_lib.nx_session_problem(model._model, part.index, self._settings, shape, problem), 'the run cannot be opened', problem)
        _check(_lib.nx_session_size(model._model, part.index, self._settings, shape, size), 'the run cannot be opened')
        self._block = _c.Block(size.value)
        _check(_lib.nx_session_open(self._block.address, size.value, model._model, part.index, self._settings, shape, session), 'the run cannot be opened')
        self._session = session
        for i, ids in given.items():
            _check(_lib.nx_session_input(model._model, session, i, _address(ids), len(ids)), f'input {part.inputs[i].name}')
        status = _c.MORE
        while status == _c.MORE:
            status = _check(_lib.nx_session_encode(model._model, session), 'reading the inputs')

    @property
    def position(self):
        """Returns the number of positions that are known or drawn."""
        return _lib.nx_session_position(self._session)

    @property
    def samples(self):
        return self._settings.samples

    def put(self, ids, nats=True):
        """Appends known positions, which are the same for every sample. ids: shape (positions, span). Returns -log p of each id, shape
        (positions, samples, span), or None if `nats` is false."""
        ids = self.model._ids(ids)
        costs = np.empty((len(ids), self.samples, self.part.span), np.float32) if nats else None
        first, status, done = self.position, _c.MORE, 0
        while status == _c.MORE:
            rest = ids[done:]
            status = _check(_lib.nx_session_put(self.model._model, self._session, _address(rest), len(rest), 0, _address(costs[done:]) if nats else None), 'known ids')
            done = self.position - first
        return costs

    def draw(self, count):
        """Draws up to `count` positions of every sample. Returns two arrays of shape (drawn, samples, span): the ids (int64), and -log p of
        each id (float32). Where a sample has ended, the id is -1 and -log p is 0."""
        ids = np.empty((count, self.samples, self.part.span), np.uint32)
        nats = np.zeros(ids.shape, np.float32)
        done, status = 0, _c.MORE
        while status == _c.MORE:
            drawn = ctypes.c_uint32()
            status = _check(_lib.nx_session_draw(self.model._model, self._session, count - done, _address(ids[done:]), _address(nats[done:]), drawn), 'drawing')
            done += drawn.value
        out = ids[:done].astype(np.int64)
        out[out == _c.NONE] = -1
        return out, nats[:done]

    def logits(self):
        """Returns the output parameters of the last position for which they were computed, shape (samples, outputs). For a categorical
        distribution, the output parameters are logits."""
        out = np.empty((self.samples, self.part.outputs), np.float32)
        for sample in range(self.samples):
            _check(_lib.nx_session_output(self.model._model, self._session, sample, _address(out[sample])), 'reading the logits')
        return out

    def attention(self, sample=0):
        """Returns the attention at the last computed position as a list of AttentionMaps. A map of the encoder has all queries; any other
        map has one query."""
        return [self._map(index, form, sample) for index, form in enumerate(self.model._forms[self.part.index][1])]

    def hidden_states(self, layers=None):
        """Returns the hidden states of the last computed position: float32, shape (layers, samples, width). layers: indices of layers, by
        default of all layers. Layer 0 is the embedding."""
        layers = range(self.part.hidden_layers) if layers is None else layers
        out = np.empty((len(layers), self.samples, self.part.hidden_width), np.float32)
        for at, layer in enumerate(layers):
            if not 0 <= layer < self.part.hidden_layers:
                raise ValueError(f'layer {layer}: part {self.part.name} has layers 0 to {self.part.hidden_layers - 1}')
            for sample in range(self.samples):
                _check(_lib.nx_session_hidden(self.model._model, self._session, sample, layer, _address(out[at, sample])),
                       'reading hidden states; open the run with hidden=True')
        return out

    def _map(self, index, form, sample):
        queries = 1
        if form.queries:
            items = self._shape.counts[form.asking] if form.asking != _c.NONE else 0
            queries = items if 0 < items < form.queries else form.queries
        keys, weights, count = np.empty(form.keys, np.uint32), np.empty(form.keys, np.float32), ctypes.c_uint32()
        rows, most = [], 0
        for row in range(form.rows * queries):
            _check(_lib.nx_session_map(self.model._model, self._session, sample, index, row, _address(keys), _address(weights), count), 'reading attention; open the run with maps=True')
            n = count.value
            rows.append((keys[:n].copy(), weights[:n].copy()))
            most = max(most, int(keys[:n].max()) + 1 if n else 0)
        out = np.zeros((form.rows * queries, most), np.float32)
        for row, (at, weight) in zip(out, rows):
            row[at] = weight
        whose = 'positions' if form.port == _c.NONE else self.part.inputs[form.port].name if form.port < len(self.part.inputs) else 'places'
        return AttentionMap(form.name.decode(), whose, out.reshape(form.rows, queries, most))

    def results(self):
        """Returns the results of the part: a dict from the name of each result to its array, shape (rows, ...). Ids are uint32; all other
        numbers are float32."""
        out = {}
        for index, result in enumerate(self.model._forms[self.part.index][0]):
            count = ctypes.c_uint32()
            _check(_lib.nx_session_result_count(self.model._model, self._session, index, count), 'reading the results')
            numbers = np.empty(count.value, np.uint32 if result.values else np.float32)
            _check(_lib.nx_session_result(self.model._model, self._session, index, 0, count.value, _address(numbers)), 'reading the results')
            shape = [size for size in result.dims[1:] if size > 1]
            out[result.name.decode()] = numbers.reshape([-1, *shape])
        return out


_TYPES = ['u1', 'i1', '<u2', '<i2', '<u4', '<i4', '<f4', '?', None, None, '<u8', '<i8', '<f8']


def _value(entry):
    raw = ctypes.string_at(entry.value, entry.value_bytes)
    if entry.item_type == 8:
        texts, at = [], 0
        for _ in range(entry.count):
            n = int.from_bytes(raw[at:at + 8], 'little')
            texts.append(raw[at + 8:at + 8 + n].decode('utf-8', 'replace'))
            at += 8 + n
        return texts if entry.type == 9 else texts[0]
    numbers = np.frombuffer(raw, _TYPES[entry.item_type], entry.count)
    return numbers.copy() if entry.type == 9 else numbers[0].item()
