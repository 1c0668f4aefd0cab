// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The messages between the page and the worker, and every error code.
 *
 *     page                                       worker
 *      |                                   here   |
 *      | <--------------------------------------- |  sent by a worker in a browser when its script has run
 *      | measure { loop, from, to }               |
 *      | ---------------------------------------> |  first, if the number of workers must be determined
 *      |                     measured { speed }   |
 *      | <--------------------------------------- |  the speed of this worker while all workers run
 *      | open   { module, bytes }                 |
 *      | ---------------------------------------> |  instantiate, read the weights
 *      |                        opened { info }   |
 *      | <--------------------------------------- |
 *      | draw   { known, settings, ... }          |
 *      | ---------------------------------------> |  stores the run, computes nothing
 *      | next   { chunkSize }                     |
 *      | ---------------------------------------> |  one credit: prefill if necessary, then one chunk
 *      |                  step { ids, nats, ... } |
 *      | <--------------------------------------- |  no further step until the next credit
 *      | stop                                     |
 *      | ---------------------------------------> |  frees the run; handled between two chunks
 *      |                                          |
 *      | score, attention, encode, keep           |
 *      | ---------------------------------------> |  one request ...
 *      |         scored, looked, encoded, kept    |
 *      | <--------------------------------------- |  ... one response
 *      |                                          |
 *      | beat                                     |
 *      | ---------------------------------------> |  every few seconds while a response is pending
 *      |                                   here   |
 *      | <--------------------------------------- |
 *
 * Every message has the `id` of its job. The response to any message may be `failed`, which ends the job. The work is done in chunks of
 * about 10 ms. Concurrent jobs alternate, and messages are handled between chunks.
 */

/** @import { Said } from '../kinds/note/alphabet.js' */
/** @import { Bounds } from '../kinds/note/piece.js' */
/** @import { Entry } from '../gguf/values.js' */
/** @import { Metadata } from '../gguf/metadata.js' */

/**
 * All codes of NextPixelError. The first seven are the statuses of include/nextpixel.h, in the same order.
 *
 * - `argument`     a value given by the caller is out of range
 * - `format`       the file is not a weight file, is truncated, or is inconsistent
 * - `unsupported`  the file is a valid weight file, but this version cannot run it
 * - `limit`        a stated limit is exceeded
 * - `memory`       there is not enough memory
 * - `numeric`      the weights or the model's output contain a NaN or an infinity
 * - `state`        the saved run does not belong to this model
 * - `network`      a file could not be fetched or read
 * - `integrity`    the file does not have the digest that `integrity` states
 * - `wasm`         the WebAssembly module cannot be compiled or started here
 * - `trap`         the computation stopped unexpectedly; the next call starts a fresh instance
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

/** The address of the worker's script, if it is not the default: a string, a URL, or, for a page with Trusted Types, a TrustedScriptURL.
 * @typedef {string | URL | { toString(): string }} WorkerUrl */

/**
 * An error as a plain object, which a worker can send to the page.
 *
 * @typedef {{ code: ErrorCode, status: number, message: string }} PlainError
 */

/** @import { SETTINGS, SettingName } from '../settings.js' */

/**
 * The settings with which a run draws: all settings that are fields of nx_settings, and the logit biases (at most 4096 ids, each with a
 * value from -1e9 to 1e9).
 *
 * @typedef {{ seed: bigint, samples: number, logitBias?: [number, number][] } &
 *   { [N in SettingName as (typeof SETTINGS)[N] extends { field: string } ? N : never]?: (typeof SETTINGS)[N] extends { flag: true } ? boolean : number }} Settings
 */

/**
 * A part of a model. It has the fields of nx_part_info, but lists the inputs, results, maps, tables and end ids, which nx_part_info only
 * counts.
 *
 * @typedef {object} Part
 * @property {number} index       index of the part in the model, from 0
 * @property {string} name        name of the part; if a later part has a port of this name, the port receives the ids that this part draws
 * @property {number} values      every id of an element is below this number
 * @property {number} span        number of elements per position
 * @property {number} outputs     number of output parameters per position
 * @property {number} length      maximum number of positions; 0: no limit
 * @property {number} rewinds     maximum number of positions by which a run can be rewound
 * @property {boolean} draft      whether the part supports speculative decoding
 * @property {boolean} grows      whether a run may start with a small capacity and grow
 * @property {boolean} noisy      whether the part also uses noise within a position: samples may then differ although their ids are the
 *   same, and beams need temperature 0
 * @property {number} hiddenLayers  number of layers whose hidden states a run can return, including the embedding; 0 if there are none, or
 *   if this build does not return them
 * @property {number} hiddenWidth   number of values of each hidden state
 * @property {number} parameters  number of the part's weights
 * @property {{ name: string, values: number, dims: number[], optional: boolean, anyLength: boolean, like: number }[]} inputs  like: index
 *   of the input that must have the same number of items, or NX_NONE
 * @property {Result[]} results   the results that the part computes from its inputs
 * @property {{ name: string, port: number, rows: number, keys: number, queries: number, asking: number }[]} maps
 * @property {{ name: string, rows: number, cols: number, data: Float32Array }[]} tables
 * @property {number[]} ends      ids that end a sample
 */

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {number} values  every id is below this number; 0: the values are floats
 * @property {number[]} dims  the maximum of each dimension; 1 for a dimension that does not exist
 */

/**
 * The properties of `info` that every model has. `info.kind` determines the other properties.
 *
 * @typedef {object} BasicInfo
 * @property {string} architecture  the model's architecture, such as 'image-transformer'
 * @property {string} name
 * @property {string[]} verbs       the names of the model's methods, such as 'complete' or 'generate'
 * @property {number} positions     positions in a complete sequence. For a text model, its context: the largest number of tokens that it
 *   sees. For a tagger, the largest number of words in one call; for a classifier from examples, the largest number of examples. 0 for an
 *   audio model, because the caller sets the length, and for a model that draws pictures in one pass, because it has no sequence
 * @property {number} parameters    number of weights
 * @property {number} bytes         size of the weight file
 * @property {string[]} classes     names of the labels; empty if the model has none
 * @property {number} blocks        number of attention layers
 * @property {number} heads         attention heads per layer
 * @property {number} embedding     width of the model's hidden states
 * @property {string[]} warnings    human-readable warnings about the file, such as a key that names no token, an unknown pre-tokenizer, or
 *   a cached copy that is used because the server fails or cannot be reached. Usually empty
 * @property {Record<string, string>} card  the model card: the strings of the file's metadata whose keys start with `general.` or
 *   `nextpixel.card.`, by key without this prefix (dataset, dataset_license, command, quality, author, license, ...)
 */

/** The description of a model. `kind` is the name of a folder of web/lib/kinds; the kind.js of that folder defines the verbs, their options
 * and results, and further properties of the description.
 * @typedef {import('../kinds/types.js').ModelInfo} ModelInfo */
/** The intersection of the `info` types of all kinds, for use in the code of a kind.
 * @typedef {import('../kinds/types.js').AnyInfo} AnyInfo */

/** Ids for the inputs of a model, by the names of the inputs, such as { class: [3] }. @typedef {Record<string, Uint32Array>} Inputs */

// The ids in the messages below are the ids of the engine, in its order of generation; a codec (kinds/) defines their meaning.

/** Makes neighbouring samples compete in groups of `group`. At intervals of `every` positions, copies of the likelier half of each group
 * replace the other half.
 * @typedef {{ group: number, every: number }} Resample */

// Messages from the page to the worker.
/** @typedef {{ type: 'beat', id: number }} BeatMessage */
/** `from`, `to`: start and end of the measurement, in milliseconds, as Date.now() returns them.
 * @typedef {{ type: 'measure', id: number, loop: WasmModule, from: number, to: number }} MeasureMessage */
/** @typedef {{ type: 'open', id: number, module: WasmModule, bytes: Uint8Array<ArrayBuffer> }} OpenMessage */
/** Opens a large file: `head` has its first bytes, and `feed` messages carry the rest. The response to the last message is `opened`; the
 * response to every other message is `fed`.
 * @typedef {{ type: 'begin', id: number, module: WasmModule, head: Uint8Array, size: number }} BeginMessage */
/** @typedef {{ type: 'feed', id: number, bytes: Uint8Array }} FeedMessage */
/** Requests stacks for `count` more threads, if the build has threads.
 * @typedef {{ type: 'share', id: number, count: number }} ShareMessage */
/** Turns a worker into a thread of another worker's instance, permanently.
 * @typedef {{ type: 'thread', id: number, module: WasmModule, memory: object, stack: number }} ThreadMessage */
/**
 * Starts a run.
 *
 * - `known`: the ids before the first drawn id
 * - `drawn`: for a resumed run, the ids after `known` that are already drawn; shape (positions, samples, ids per position)
 * - `maps`: the run draws one position per step and reports the attention of each position
 * - `length`: ends the run after this number of positions, unless the model's own maximum is lower
 * - `alternatives`: the number of most probable ids to report for each position
 * - `search`: runs a beam search, with this length penalty, instead of drawing; the samples are the beams
 * - `forced`: the ids to take instead of drawing
 * - `resample`: lets samples compete, as described at Resample
 * - `notes`: for music, the meaning of each id, and the bounds within which voices are drawn
 * - `part`: the part to run; by default, the first part that draws
 * - `keyBits`: see nx_shape
 * - `keep`: the run continues from a cached session with a common prefix, if there is one, and its own session is cached (kept.js)
 * - `state`: the hash of the saved state that this run resumes; only runs with this hash may continue from the session of that state
 * - `probabilities`: reports the whole distribution of each id
 * - `constrained`: each `next` message contains the ids that may come next
 *
 * @typedef {{ type: 'draw', id: number, known: Uint32Array, drawn?: Uint32Array, inputs: Inputs, settings: Settings, maps?: boolean, length?: number,
 *   alternatives?: number, search?: number, forced?: Uint32Array, resample?: Resample, notes?: { said: Said[], bounds: Bounds }, part?: number, keyBits?: number, keep?: boolean, state?: string, probabilities?: boolean, constrained?: boolean }} DrawMessage
 */
/** `chunkSize`: the largest number of positions per sample in the response; 0: as many as one chunk computes. `allowed`: for a constrained
 * run, a bit mask of the ids that may come next; if absent, all ids may.
 * @typedef {{ type: 'next', id: number, chunkSize: number, allowed?: Uint32Array }} NextMessage */
/** `hiddenStates`: the layers whose hidden states the response must also contain.
 * @typedef {{ type: 'score', id: number, ids: Uint32Array, inputs: Inputs, hiddenStates?: number[] }} ScoreMessage */
/** Requests all attention maps at the positions of the known ids, starting at position `from`. `ids`: the known ids.
 * @typedef {{ type: 'look', id: number, ids: Uint32Array, inputs: Inputs, from?: number }} LookMessage */
/** `part`: index of the part; `results`: the requested results, by default all; `settings`: for the part's noise.
 * @typedef {{ type: 'encode', id: number, part: number, inputs: Inputs, results?: string[], maps?: boolean, settings?: Settings }} EncodeMessage */
/** Requests a copy of a cached session that contains the ids `known`. A session that continued a saved state is found only if `of` is the
 * hash of this state. If `state` is present, the worker caches this saved state instead. A later run can continue from the saved state if
 * the run's `draw` message contains the hash of the state.
 * @typedef {{ type: 'keep', id: number, known: Uint32Array, part?: number, keyBits?: number, of?: string, state?: State & { hash: string } }} KeepMessage */
/** @typedef {{ type: 'stop', id: number }} StopMessage */
/** @typedef {BeatMessage | MeasureMessage | OpenMessage | BeginMessage | FeedMessage | ShareMessage | ThreadMessage | DrawMessage | NextMessage | ScoreMessage | LookMessage | EncodeMessage | KeepMessage | StopMessage} ToWorker */

// Messages from the worker to the page.
/** @typedef {{ type: 'here', id: number }} HereMessage */
/** @typedef {{ type: 'measured', id: number, speed: number }} MeasuredMessage */
/** `tokenizerEntries`: the metadata under `tokenizer.`, unchanged; `metadata`: all other metadata; `fileBytes`: size of the file.
 * @typedef {{ parts: Part[], metadata: Metadata, tokenizerEntries: Entry[], fileBytes: number }} Facts */
/** @typedef {{ type: 'opened', id: number } & Facts} OpenedMessage */
/** `at`: the file offset of the next byte that the engine needs. `lacks`: 'more' if a longer head is needed to open the file, 'whole' if
 * the whole file is needed. `room`: the buffer of the fed bytes, returned for reuse.
 * @typedef {{ type: 'fed', id: number, at: number, lacks?: 'more' | 'whole', room?: ArrayBuffer }} FedMessage */
/** `stacks`: addresses of the stacks in the memory; empty if the build has no threads.
 * @typedef {{ type: 'shared', id: number, memory: object | undefined, stacks: number[] }} SharedMessage */
/** Reports that the instance was lost in a trap, and that the worker cannot open the model again, because it did not keep the bytes of the
 * file.
 * @typedef {{ type: 'lost', id: number }} LostMessage */
/**
 * A row of an attention map: the weights of one head of a layer at one position. In a map over earlier positions, key j is the item at
 * position j - 1, and key 0 is the start. In a map of an input, a key is an item of that input. The maps of an encoder come with the first
 * position; for an input of n items, the index of a row is head * n + query.
 *
 * @typedef {{ name: string, row: number, keys: Uint32Array, weights: Float32Array }} MapRow
 */
/** The k most probable ids at each position, the most probable first. Shape (to - from, k).
 * @typedef {{ ids: Uint32Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer> }} Alternatives */
/**
 * A step, which contains some positions of every sample.
 *
 * @typedef {object} StepMessage
 * @property {'step'} type
 * @property {number} id
 * @property {number} from           the first position
 * @property {number} to             index after the last position
 * @property {Uint32Array} ids       shape (to - from, samples, ids per position); for a beam search, the candidates; each candidate is an
 *   nx_candidate of five 32-bit words
 * @property {Float32Array} nats     nats of `ids`
 * @property {Uint8Array} ahead      shape (to - from): number of positions that precede each position in its pass; 0 for the first position
 *   of a pass
 * @property {MapRow[][]} [maps]      the maps of each sample, if the run requested them
 * @property {Alternatives} [alternatives]  the most probable ids of each position, if the run requested them (a single sample only)
 * @property {Float32Array<ArrayBuffer>} [probabilities]  the distribution of each id, if the run requested it; shape (to - from, samples,
 *   ids per position, values)
 * @property {Settled} [settled]     all positions so far, if samples were reordered or replaced in this step
 * @property {number} reused         number of known positions that were reused from a cached session
 * @property {boolean} last          whether everything is drawn; the run is then already freed
 */
/** All positions drawn so far, with the samples in their present order; all values of `ahead` are 0.
 * @typedef {Pick<StepMessage, 'from' | 'ids' | 'nats' | 'ahead'> & { anew: boolean }} Settled */
/** `nats`: one value per id; `hiddenStates`: for each requested layer, an array of shape (positions, width).
 * @typedef {{ type: 'scored', id: number, nats: Float32Array, hiddenStates?: Float32Array<ArrayBuffer>[] }} ScoredMessage */
/** `positions`: for each position, the rows of its attention maps. Position 0 also has the rows of the encoders' maps.
 * @typedef {{ type: 'looked', id: number, positions: MapRow[][] }} LookedMessage */
/** `results`: the values of each result, row-major, as ids or floats.
 * @typedef {{ type: 'encoded', id: number, results: Record<string, Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>>, maps?: MapRow[] }} EncodedMessage */
/** The bytes of a session, its ids, its capacity in positions, and the other fields that kept.js needs.
 * @typedef {{ bytes: Uint8Array<ArrayBuffer>, ids: number[], length: number, shape: string, layout: string }} State */
/** `state`: the requested session, if it is cached. If the request contained a state, the response has the same state, or undefined if the
 * state belongs to another file or build.
 * @typedef {{ type: 'kept', id: number, state: State | undefined }} KeptMessage */
/** @typedef {{ type: 'failed', id: number, error: PlainError }} FailedMessage */
/** @typedef {HereMessage | MeasuredMessage | OpenedMessage | FedMessage | SharedMessage | LostMessage | StepMessage | ScoredMessage | LookedMessage | EncodedMessage | KeptMessage | FailedMessage} FromWorker */
