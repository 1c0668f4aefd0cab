// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Generators that do the work of a worker, one for each type of message.
 *
 * Each generator computes one chunk between two yields. A generator yields GO_ON if it has more to do, and AWAIT_CREDIT if it must wait for
 * the page's next request. return() stops the generator, whose `finally` frees the session.
 */

import { joinAlike } from '../base/arrays.js';
import { stepperOf } from './steppers/index.js';
import { contest } from './steppers/resample.js';
import { joinSlices } from './steppers/slices.js';

/** @import { DrawMessage, EncodeMessage, EncodedMessage, FromWorker, Inputs, LookMessage, MapRow, ScoreMessage } from './protocol.js' */
/** @import { NextPixelError } from '../base/error.js' */
/** @import { Core } from './core.js' */
/** @import { KeptSessions } from './kept.js' */
/** @import { Pace } from './pace.js' */
/** @import { Session } from './sessions.js' */
/** @import { Slice } from './steppers/index.js' */

export const GO_ON = 'go on';
const AWAIT_CREDIT = 'await credit';

/** Maximum number of values of a result that are read per chunk. */
const RESULT_SLICE = 8192;

/** Settings for work that draws nothing. */
const READ_ONLY = { seed: 0n, samples: 1, temperature: 1, topK: 0, topP: 1 };

const NONE = new Uint32Array(0);

/** @typedef {Generator<typeof GO_ON | typeof AWAIT_CREDIT, void, void>} Work */
/**
 * The page's latest request: a number of positions, and the ids that are allowed.
 * @typedef {{ chunkSize: number, allowed?: Uint32Array }} Credit
 */
/**
 * The objects that a job uses.
 * @typedef {{ core: Core, kept: KeptSessions, pace: Pace, post: (message: FromWorker, transfer?: Transferable[]) => void }} Tools
 */

/**
 * Draws a run. On the first credit, the run processes the known ids and draws a chunk; on each later credit, it draws another chunk.
 *
 * @param {Tools} tools
 * @param {DrawMessage} message  has at least one position to draw
 * @param {Credit} credit
 * @returns {Work}
 */
export function* draw(tools, message, credit) {
  const {
    id,
    known,
    drawn = NONE,
    inputs,
    settings,
    maps: wantMaps = false,
    length = 0,
    part,
    resample,
    keyBits,
    constrained: masked,
  } = message;
  const { core, kept, pace, post } = tools;
  const drawing = core.parts[part ?? core.part.index];
  const positions = length || drawing.length;
  const given = (known.length + drawn.length / settings.samples) / drawing.span;
  // Reserves capacity for the known ids and FIRST_ROOM more, and doubles the capacity whenever it is full. A beam search gets the full
  // length from the start, because the length of a run affects the result of a search.
  const room = drawing.grows && message.search === undefined ? roomFor(given, positions) : positions;
  const open = () => core.openSession(settings, { part, maps: wantMaps, length: room, inputs, keyBits, masked });
  const session = kept.withRoom(() => (message.keep && kept.take(message)) || open());
  const reused = core.position(session);
  const all = [...known];
  let whole = true;
  try {
    if (session.length < given) kept.withRoom(() => core.growSession(session, room));
    yield* read(tools, session, inputs);
    yield* put(tools, session, known.subarray(reused * drawing.span));
    const { samples } = settings;
    const { kind, first, single, step } = stepperOf(core, session, message, credit, pace.race);
    const rivals = resample && contest(samples, resample, session.part.span, core.position(session));
    const before = new Float32Array(drawn.length);
    yield* put(tools, session, drawn, rivals && before, true);
    rivals?.add(drawn, before);
    const start = core.position(session);
    let position = start;
    for (let last = false; !last; ) {
      const from = position;
      const chunkSize = wantMaps || single ? 1 : credit.chunkSize;
      const stage = rivals?.stage(from) ?? Infinity;
      const end = Math.min(positions, chunkSize > 0 ? from + chunkSize : Infinity, stage);
      /** @type {Slice[]} */
      const slices = [];
      do {
        if (slices.length > 0) yield GO_ON;
        if (position === session.length) kept.withRoom(() => growRun(core, session, positions));
        const most = Math.min(end, session.length) - position;
        const slice = pace.slice(kind, first, single ? 1 : Math.min(most, core.sliceLimit(samples, session.part)), step);
        slices.push(slice);
        position = core.position(session);
        last = slice.ended || position === positions;
      } while (!last && position < (chunkSize > 0 ? end : from + 1)); // a single position may take several chunks
      const { ids, nats, ahead, alternatives, probabilities } = joinSlices(slices);
      if (message.keep) all.push(...ids);
      const maps = wantMaps ? Array.from({ length: samples }, (_, sample) => mapRows(core, session, sample, from === start)) : undefined;
      rivals?.add(ids, nats);
      const parted = rivals && (last || position === stage) ? rivals.settle(last) : undefined;
      if (parted && !last) core.resample(session, parted.parents);
      const settled = rivals &&
        parted && { from: rivals.begin, ids: parted.ids, nats: parted.nats, ahead: new Uint8Array(position - rivals.begin), anew: true };
      post({ type: 'step', id, from, to: position, ids, nats, ahead, maps, alternatives, probabilities, settled, reused, last }, [
        ids.buffer,
        nats.buffer,
        ahead.buffer,
      ]);
      if (!last) yield AWAIT_CREDIT;
    }
  } catch (error) {
    whole = false;
    throw error;
  } finally {
    if (message.keep && whole) kept.add(session, all.slice(0, core.position(session)), message);
    else core.closeSession(session);
  }
}

/**
 * Returns the results that a part computes from its inputs.
 *
 * @param {Tools} tools
 * @param {EncodeMessage} message
 * @returns {Work}
 */
export function* encode(tools, { id, part, inputs, results: wanted, maps: wantMaps, settings = READ_ONLY }) {
  const { core, kept, post } = tools;
  const session = kept.withRoom(() => core.openSession(settings, { part, inputs, maps: wantMaps }));
  try {
    yield* read(tools, session, inputs);
    /** @type {EncodedMessage['results']} */
    const results = {};
    for (const name of wanted ?? session.part.results.map((result) => result.name)) {
      const slices = [];
      const count = core.resultLength(session, name);
      for (let at = 0; at < count; at += RESULT_SLICE) {
        slices.push(core.result(session, name, at, Math.min(RESULT_SLICE, count - at)));
        yield GO_ON;
      }
      results[name] = joinAlike(slices);
    }
    post(
      { type: 'encoded', id, results, maps: wantMaps ? mapRows(core, session, 0, true) : undefined },
      Object.values(results).map(({ buffer }) => buffer),
    );
  } finally {
    core.closeSession(session);
  }
}

/**
 * @param {Tools} tools
 * @param {ScoreMessage} message
 * @returns {Work}
 */
export function* score(tools, { id, ids, inputs, hiddenStates: layers }) {
  const { core, kept, post } = tools;
  const { span, grows, length, hiddenWidth } = core.part;
  const positions = ids.length / span;
  const session = kept.withRoom(() =>
    core.openSession(READ_ONLY, { inputs, hidden: layers !== undefined, length: grows || !length ? positions : 0 }),
  );
  try {
    yield* read(tools, session, inputs);
    const nats = new Float32Array(ids.length);
    // hidden states must be read before the next position is computed; if they are requested, each call feeds only one position
    const step = layers ? span : ids.length;
    const hiddenStates = layers?.map(() => new Float32Array(positions * hiddenWidth));
    for (let at = 0; at < ids.length; at += step) {
      yield* put(tools, session, ids.subarray(at, at + step), nats.subarray(at));
      layers?.forEach((layer, i) => hiddenStates?.[i].set(core.hidden(session, layer), (at / span) * hiddenWidth));
    }
    post({ type: 'scored', id, nats, hiddenStates }, [nats.buffer]);
  } finally {
    core.closeSession(session);
  }
}

/**
 * Returns the rows of all attention maps at the known positions, starting at position `from`.
 *
 * @param {Tools} tools
 * @param {LookMessage} message
 * @returns {Work}
 */
export function* look(tools, { id, ids, inputs, from = 0 }) {
  const { core, kept, post } = tools;
  const { span, grows, length } = core.part;
  const session = kept.withRoom(() =>
    core.openSession(READ_ONLY, { maps: true, inputs, length: grows || !length ? ids.length / span : 0 }),
  );
  try {
    yield* read(tools, session, inputs);
    /** @type {MapRow[][]} */
    const positions = [];
    yield* put(tools, session, ids.subarray(0, from * span));
    for (let at = from * span; at < ids.length; at += span) {
      yield* put(tools, session, ids.subarray(at, at + span));
      positions.push(mapRows(core, session, 0, at === 0));
    }
    post({ type: 'looked', id, positions });
  } finally {
    core.closeSession(session);
  }
}

/**
 * Passes the inputs to a run and encodes them chunk by chunk.
 *
 * @param {Tools} tools
 * @param {Session} session
 * @param {Inputs} inputs
 * @returns {Work}
 */
function* read({ core, pace }, session, inputs) {
  for (const [name, ids] of Object.entries(inputs)) core.input(session, name, ids);
  const encode = (/** @type {number} */ count, /** @type {() => boolean} */ over) => {
    let more = core.encode(session);
    while (more && --count && !over()) more = core.encode(session);
    return more;
  };
  while (pace.slice('encode', 1, Infinity, encode)) yield GO_ON;
}

/**
 * Feeds known ids chunk by chunk.
 *
 * @param {Tools} tools
 * @param {Session} session
 * @param {Uint32Array} ids
 * @param {Float32Array} [nats]  receives the nats of each id
 * @param {boolean} [each]       true: `ids` has the shape (positions, samples, span), with separate ids for each sample; false: all samples
 *   share the ids
 * @returns {Work}
 */
function* put({ core, pace }, session, ids, nats, each = false) {
  const { samples, part } = session;
  const width = part.span * (each ? samples : 1);
  const start = core.position(session);
  for (let at = 0, end = 0; at < ids.length; ) {
    const most = Math.min((ids.length - at) / width, core.sliceLimit(samples, part));
    at = pace.slice(`${nats ? 'score' : 'put'} ${each ? samples : 1}`, 4, most, (count, over) => {
      end = Math.max(end, at + count * width); // after a call that ended early, the next call must repeat the ids
      // With several samples, core.put() may call the engine several times for one position. Each of these calls writes the nats of some
      // samples to the engine's memory. core.put() must not return between these calls. Otherwise, another job could overwrite the nats.
      const cost = core.put(session, ids.subarray(at, end), nats !== undefined, each, nats && samples > 1 ? undefined : over);
      nats?.set(cost, at);
      return (core.position(session) - start) * width;
    });
    yield GO_ON;
  }
}

/**
 * A new run gets capacity for its known positions and at least this number of further positions. The capacity is rounded up to a multiple
 * of this number, but is at most the length of the run.
 */
const FIRST_ROOM = 256;

/**
 * Returns the initial capacity of a run in positions.
 *
 * @param {number} known
 * @param {number} positions  positions of the whole run
 */
function roomFor(known, positions) {
  return Math.min(positions, FIRST_ROOM * Math.ceil((known + FIRST_ROOM) / FIRST_ROOM));
}

/**
 * Doubles the capacity of a run, or extends it slightly if this machine lacks the memory.
 *
 * @param {Core} core
 * @param {Session} session
 * @param {number} positions  positions of the whole run
 */
function growRun(core, session, positions) {
  const { length } = session;
  try {
    core.growSession(session, Math.min(positions, 2 * length));
  } catch (error) {
    const { code } = /** @type {NextPixelError} */ (error);
    if (code !== 'limit' && code !== 'memory') throw error;
    core.growSession(session, Math.min(positions, length + Math.ceil(length / 16)));
  }
}

/**
 * Returns every row of every map at the last drawn position. Consecutive rows with equal keys share one array of keys.
 *
 * @param {Core} core
 * @param {Session} session
 * @param {number} sample
 * @param {boolean} encoded  whether to include the maps of the input encoders; each of these maps has one row for each query of each head
 * @returns {MapRow[]}
 */
function mapRows(core, session, sample, encoded) {
  return session.part.maps.flatMap(({ name, rows, queries, asking }, map) => {
    let shared = new Uint32Array(0);
    const all = queries === 0 ? rows : encoded ? rows * Math.min(queries, session.counts[asking] ?? queries) : 0;
    return Array.from({ length: all }, (_, row) => {
      const { keys, weights } = core.map(session, sample, map, row);
      if (keys.length !== shared.length || keys.some((key, i) => key !== shared[i])) shared = keys;
      return { name, row, keys: shared, weights };
    });
  });
}
