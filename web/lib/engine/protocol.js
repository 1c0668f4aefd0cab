// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The messages between page and worker, and every error code.
 *
 *     page                                       worker
 *      |                                   here   |
 *      | <--------------------------------------- |  in a browser: its script has run
 *      | measure { loop, from, to }               |
 *      | ---------------------------------------> |  before all else, where their number is to be found
 *      |                     measured { speed }   |
 *      | <--------------------------------------- |  its speed while the others run
 *      | open   { module, bytes }                 |
 *      | ---------------------------------------> |  instantiate, read the weights
 *      |                        opened { info }   |
 *      | <--------------------------------------- |
 *      | draw   { known, settings, ... }          |
 *      | ---------------------------------------> |  notes the run, computes nothing
 *      | next   { chunkSize }                     |
 *      | ---------------------------------------> |  one credit: prefill if need be, then one chunk
 *      |                  step { ids, nats, ... } |
 *      | <--------------------------------------- |  and no more until the next credit
 *      | stop                                     |
 *      | ---------------------------------------> |  frees the run; heard between two slices
 *      |                                          |
 *      | score, attention, encode, keep           |
 *      | ---------------------------------------> |  one request ...
 *      |         scored, looked, encoded, kept    |
 *      | <--------------------------------------- |  ... one answer
 *      |                                          |
 *      | beat                                     |
 *      | ---------------------------------------> |  every few seconds while an answer is owed
 *      |                                   here   |
 *      | <--------------------------------------- |
 *
 * Every message carries the `id` of its piece of work. Anything may be answered by `failed`, which ends that piece of
 * work. Work is done in chunks of about 10 ms; concurrent jobs alternate, and messages are handled between chunks.
 */

/** @import { Said } from '../kinds/note/alphabet.js' */
/** @import { Bounds } from '../kinds/note/piece.js' */
/** @import { Entry } from '../gguf/values.js' */
/** @import { Metadata } from '../gguf/metadata.js' */

/**
 * All codes of NextPixelError. The first seven are the statuses of include/nextpixel.h, in its order.
 *
 * - `argument`     a value given by the caller is out of range
 * - `format`       not a weight file, or truncated, or inconsistent with itself
 * - `unsupported`  a valid weight file that this version does not run
 * - `limit`        beyond a stated limit
 * - `memory`       not enough memory
 * - `numeric`      not-a-number or infinity in the weights or in the model's output
 * - `state`        a saved run that does not belong to this model
 * - `network`      a file could not be fetched or read
 * - `integrity`    the file is not the one that `integrity` names
 * - `wasm`         the WebAssembly module cannot be compiled or started here
 * - `trap`         the computation stopped unexpectedly; the next use starts afresh
 * - `closed`       the model was closed
 */
export const CODES = Object.freeze(
  /** @type {const} */ ([
    'argument',
    'format',
    'unsupported',
    'limit',
    'memory',
    'numeric',
    'state',
    'network',
    'integrity',
    'wasm',
    'trap',
    'closed',
  ]),
);

/** @typedef {typeof CODES[number]} ErrorCode */

/** @import { WasmModule } from '../base/dom.js' */

/** The address of another worker.js. A TrustedScriptURL is one that the page trusts.
 * @typedef {string | URL | { toString(): string }} WorkerUrl */

/**
 * An error as it crosses the worker's boundary.
 *
 * @typedef {{ code: ErrorCode, status: number, message: string }} PlainError
 */

/** @import { SETTINGS, SettingName } from '../settings.js' */

/**
 * The settings with which a run draws its elements: the rows of the table of settings that are fields of nx_settings, and the biases of
 * logits (ids with a value each, within -1e9 and 1e9, at most 4096 of them).
 *
 * @typedef {{ seed: bigint, samples: number, logitBias?: [number, number][] } &
 *   { [N in SettingName as (typeof SETTINGS)[N] extends { field: string } ? N : never]?: (typeof SETTINGS)[N] extends { flag: true } ? boolean : number }} Settings
 */

/**
 * A part of a model: nx_part_info and all lists that it counts.
 *
 * @typedef {object} Part
 * @property {number} index       index of the part in the model, from 0
 * @property {string} name        the port of a later part with this name receives the ids that it draws
 * @property {number} values      upper bound of an element's ids
 * @property {number} span        elements per position
 * @property {number} outputs     numbers that the output layer yields per position
 * @property {number} length      the most positions; 0: no limit
 * @property {number} rewinds     how many positions a run may rewind
 * @property {boolean} draft      it supports speculative decoding
 * @property {boolean} grows      a run may start with a small capacity and grow
 * @property {boolean} noisy      it also draws inside: samples differ even if their ids are the same, and beams need temperature 0
 * @property {number} hiddenLayers  layers whose hidden states a run can keep, including the embedding; 0: none, or none in this build
 * @property {number} hiddenWidth   values of each
 * @property {number} parameters  number of its weights
 * @property {{ name: string, values: number, dims: number[], optional: boolean, anyLength: boolean, like: number }[]} inputs  like: the port
 *   whose count it shares, or NX_NONE
 * @property {Result[]} results   its results, computed from its inputs
 * @property {{ name: string, port: number, rows: number, keys: number, queries: number, asking: number }[]} maps
 * @property {{ name: string, rows: number, cols: number, data: Float32Array }[]} tables
 * @property {number[]} ends      ids that end a sample
 */

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {number} values  upper bound of the ids; 0: floats
 * @property {number[]} dims  the maximum of each dimension, 1 if it does not exist
 */

/**
 * The properties of `info` that every model has. `info.kind` determines the others.
 *
 * @typedef {object} BasicInfo
 * @property {string} architecture  such as 'image-transformer'
 * @property {string} name
 * @property {string[]} verbs       the names of its methods, such as 'complete' or 'generate'
 * @property {number} positions     positions in a complete sequence. For a text model, the most tokens that it sees, its context; for a
 *   tagger, the most words at once; for a classifier from examples, the most examples; for an audio model 0, because the caller sets the
 *   length; for a model that draws pictures in one pass 0, because there is no sequence
 * @property {number} parameters    number of weights
 * @property {number} bytes         size of the weight file
 * @property {string[]} classes     names of the labels; empty if the model takes none
 * @property {number} blocks        layers of attention
 * @property {number} heads         attention heads per layer
 * @property {number} embedding     width of the model
 * @property {string[]} warnings    oddities of the file, for people: a key that names no token, an unknown pre-tokenizer; or that it is a
 *   cached copy, because the server cannot be reached or fails; usually empty
 * @property {Record<string, string>} card  the model card: the texts of the file's metadata under `general.` and
 *   `nextpixel.card.`, without these prefixes (dataset, dataset_license, command, quality, author, license, ...)
 */

/** The description of a model: `kind` is one folder of web/lib/kinds, which defines the verbs, their options and results, and further
 * properties.
 * @typedef {import('../kinds/types.js').ModelInfo} ModelInfo */
/** The same within a kind, which has its own properties and does not read the others.
 * @typedef {import('../kinds/types.js').AnyInfo} AnyInfo */

/** Ids for the inputs of a model, by name, such as { class: [3] }. @typedef {Record<string, Uint32Array>} Inputs */

// Ids are the engine's, in its order of generation; a codec (kinds/) defines their meaning.

/** After every `every` drawn positions, the less likely half of each group of neighbouring samples is replaced by copies of the likelier
 * half.
 * @typedef {{ group: number, every: number }} Resample */

// Page to worker.
/** @typedef {{ type: 'beat', id: number }} BeatMessage */
/** `from`, `to`: when to measure, in milliseconds of Date.now().
 * @typedef {{ type: 'measure', id: number, loop: WasmModule, from: number, to: number }} MeasureMessage */
/** @typedef {{ type: 'open', id: number, module: WasmModule, bytes: Uint8Array<ArrayBuffer> }} OpenMessage */
/** A large file: its `head`, the first bytes, then the rest by `feed`; each message is answered by `fed`, the last one by `opened`.
 * @typedef {{ type: 'begin', id: number, module: WasmModule, head: Uint8Array, size: number }} BeginMessage */
/** @typedef {{ type: 'feed', id: number, bytes: Uint8Array }} FeedMessage */
/** Requests stacks for `count` more threads, if available.
 * @typedef {{ type: 'share', id: number, count: number }} ShareMessage */
/** To a worker that permanently becomes such a thread.
 * @typedef {{ type: 'thread', id: number, module: WasmModule, memory: object, stack: number }} ThreadMessage */
/** `known`: the ids before the first drawn one; `drawn`: of a resumed run, (positions, samples, ids of a position) those that follow;
 * `maps`: every step is one position, with its attention; `length`: the positions after which it is over, if fewer than those of the model;
 * `alternatives`: the number of most probable ids that are reported of each position; `search`:
 * instead of drawing, a search by beams, which the samples are, with this penalty for length; `forced`: these ids are drawn; `resample`:
 * samples compete; `notes`: music is drawn, of such ids, within these bounds; `part`: which one draws, by default the one that does;
 * `keyBits`: see nx_shape; `keep`: it continues from a kept session with a common prefix, if there is one, and its own is kept (kept.js);
 * `state`: the hash of the saved state that only this run may continue from; `probabilities`: the whole distribution of each id is
 * reported; `constrained`: each position comes with the ids that it may be.
 * @typedef {{ type: 'draw', id: number, known: Uint32Array, drawn?: Uint32Array, inputs: Inputs, settings: Settings, maps?: boolean, length?: number,
 *   alternatives?: number, search?: number, forced?: Uint32Array, resample?: Resample, notes?: { said: Said[], bounds: Bounds }, part?: number, keyBits?: number, keep?: boolean, state?: string, probabilities?: boolean, constrained?: boolean }} DrawMessage */
/** `chunkSize`: the most positions of each sample to answer with; 0: as many as one chunk yields. `allowed`: for a constrained run, a bit
 * for each id that may come next; absent: any may.
 * @typedef {{ type: 'next', id: number, chunkSize: number, allowed?: Uint32Array }} NextMessage */
/** `hiddenStates`: the layers whose hidden states are requested too.
 * @typedef {{ type: 'score', id: number, ids: Uint32Array, inputs: Inputs, hiddenStates?: number[] }} ScoreMessage */
/** `ids`: known ones; all maps of their positions are requested, from position `from` on.
 * @typedef {{ type: 'look', id: number, ids: Uint32Array, inputs: Inputs, from?: number }} LookMessage */
/** `part`: index of the part; `results`: the requested ones, by default all; `settings`: for its noise.
 * @typedef {{ type: 'encode', id: number, part: number, inputs: Inputs, results?: string[], maps?: boolean, settings?: Settings }} EncodeMessage */
/** `known`: requests the session of a finished run that contains these ids; `of`: among the runs that were resumed from this saved state.
 * `state`: keeps a saved state for runs that name its hash.
 * @typedef {{ type: 'keep', id: number, known: Uint32Array, part?: number, keyBits?: number, of?: string, state?: State & { hash: string } }} KeepMessage */
/** @typedef {{ type: 'stop', id: number }} StopMessage */
/** @typedef {BeatMessage | MeasureMessage | OpenMessage | BeginMessage | FeedMessage | ShareMessage | ThreadMessage | DrawMessage | NextMessage | ScoreMessage | LookMessage | EncodeMessage | KeepMessage | StopMessage} ToWorker */

// Worker to page.
/** @typedef {{ type: 'here', id: number }} HereMessage */
/** @typedef {{ type: 'measured', id: number, speed: number }} MeasuredMessage */
/** `tokenizerEntries`: the metadata under `tokenizer.`, unchanged; `metadata`: the others; `fileBytes`: its size.
 * @typedef {{ parts: Part[], metadata: Metadata, tokenizerEntries: Entry[], fileBytes: number }} Facts */
/** @typedef {{ type: 'opened', id: number } & Facts} OpenedMessage */
/** `at`: the next byte of the file that is needed; `lacks`: why it cannot begin: it needs 'more' of the head, or the 'whole' file; `room`:
 * the buffer of the bytes it was fed, to be refilled. @typedef {{ type: 'fed', id: number, at: number, lacks?: 'more' | 'whole', room?:
 * ArrayBuffer }} FedMessage */
/** `stacks`: addresses in the memory; empty if the build has no threads.
 * @typedef {{ type: 'shared', id: number, memory: object | undefined, stacks: number[] }} SharedMessage */
/** The model has been freed, and its bytes are not in this worker.
 * @typedef {{ type: 'lost', id: number }} LostMessage */
/**
 * A row (a head of a layer) of a map of one position: its attention. In a map of the past, key j is the item at position j - 1, key 0 the
 * start; in a map of an input, a key is an item of it. The maps of encoding an input of n items come with the first position: row head * n
 * + query.
 *
 * @typedef {{ name: string, row: number, keys: Uint32Array, weights: Float32Array }} MapRow
 */
/** The most probable ids of each position, in order of probability: (to - from, k).
 * @typedef {{ ids: Uint32Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer> }} Alternatives */
/**
 * Positions of every sample.
 *
 * @typedef {object} StepMessage
 * @property {'step'} type
 * @property {number} id
 * @property {number} from           the first position
 * @property {number} to             one past the last
 * @property {Uint32Array} ids       (to - from, samples, ids of a position); of a search, its candidates: nx_candidate, five words each
 * @property {Float32Array} nats     the same
 * @property {Uint8Array} ahead      (to - from) how many positions of its pass preceded each: 0 begins a pass
 * @property {MapRow[][]} [maps]      of each sample, if the run requested them
 * @property {Alternatives} [alternatives]  of a single sample, if the run requested them
 * @property {Float32Array<ArrayBuffer>} [probabilities]  (to - from, samples, ids of a position, values), if the run requested them
 * @property {Settled} [settled]     samples were reordered or replaced then
 * @property {number} reused         known positions that were reused from a kept session
 * @property {boolean} last          everything is drawn, and the run is already freed
 */
/** All positions drawn so far, of the samples in their present order; `ahead` has 0.
 * @typedef {Pick<StepMessage, 'from' | 'ids' | 'nats' | 'ahead'> & { anew: boolean }} Settled */
/** `nats`: one per id; `hiddenStates`: of each requested layer, (positions, width).
 * @typedef {{ type: 'scored', id: number, nats: Float32Array, hiddenStates?: Float32Array<ArrayBuffer>[] }} ScoredMessage */
/** `positions`: the rows of each; the maps of encoding the inputs come with the first.
 * @typedef {{ type: 'looked', id: number, positions: MapRow[][] }} LookedMessage */
/** Numbers of each result, row-major: ids, or floats.
 * @typedef {{ type: 'encoded', id: number, results: Record<string, Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>>, maps?: MapRow[] }} EncodedMessage */
/** The bytes of a session, its ids, its capacity in positions, and the other fields of kept.js.
 * @typedef {{ bytes: Uint8Array, ids: number[], length: number, shape: string, layout: string }} State */
/** `state`: the session, if there is one; for a state to keep, whether it belongs to this file and this build.
 * @typedef {{ type: 'kept', id: number, state: State | boolean | undefined }} KeptMessage */
/** @typedef {{ type: 'failed', id: number, error: PlainError }} FailedMessage */
/** @typedef {HereMessage | MeasuredMessage | OpenedMessage | FedMessage | SharedMessage | LostMessage | StepMessage | ScoredMessage | LookedMessage | EncodedMessage | KeptMessage | FailedMessage} FromWorker */
