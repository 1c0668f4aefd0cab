// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The worker's side of the protocol, without the worker: takes messages, does the work in slices, posts answers.
 *
 * A piece of work is a generator that computes one slice between two yields. It yields GO_ON where it has more to do
 * and AWAIT_CREDIT where it may not compute until the page asks for more. Work in flight takes turns, one slice each;
 * between slices the event loop runs, so a stop is heard within about 10 ms. To stop a generator is to return() it: its
 * `finally` frees the session.
 */

import { joinAlike } from '../base/arrays.js';
import { Core } from './core.js';
import { helpForEver } from './instance.js';
import { NextPixelError, toPlain } from '../base/error.js';
import { spin } from './core-probe.js';
import { KeptSessions } from './kept.js';
import { stepperOf } from './steppers/index.js';
import { contest } from './steppers/resample.js';
import { joinSlices } from './steppers/slices.js';

/** @import { AttentionMessage, DrawMessage, EncodeMessage, EncodedMessage, FromWorker, Inputs, MapRow, ScoreMessage, ToWorker } from './protocol.js' */
/** @import { Session } from './core.js' */
/** @import { Slice } from './steppers/index.js' */

const GO_ON = 'go on';
const AWAIT_CREDIT = 'await credit';

/** The time that a slice should take. Short enough to hear a stop soon, long enough that messages cost nothing beside it. */
const SLICE_MS = 10;

/** The most numbers of a result that are read in a slice. */
const RESULT_SLICE = 8192;

/** Settings of work that draws nothing. */
const READ_ONLY = { seed: 0n, samples: 1, temperature: 1, topK: 0, topP: 1 };

const NONE = new Uint32Array(0);

/** @typedef {Generator<typeof GO_ON | typeof AWAIT_CREDIT, void, void>} Work */
/** The number of positions that the page asked for last, and the ids that may come. @typedef {{ chunk: number, allowed?: Uint32Array }} Credit */
/** @typedef {{ work: Work, waiting: boolean, credit: Credit }} Piece */

export class Tasks {
  /** @type {(message: FromWorker, transfer?: Transferable[]) => void} */
  #post;
  /** @type {() => void} */
  #wake;
  /** @type {() => number} */
  #now;
  /** Of these a fresh instance is made after a trap: the file's bytes are kept for that. Those of a large file are not.
   * @type {{ module: WebAssembly.Module, bytes: Uint8Array } | undefined} */
  #origin;
  /** @type {Core | undefined} */
  #core;
  /** Sessions of that instance. @type {{ core: Core, sessions: KeptSessions } | undefined} */
  #kept;
  /** Every piece of work in flight, by id. @type {Map<number, Piece>} */
  #tasks = new Map();
  /** Ids of those that have something to compute, in turn. @type {number[]} */
  #turns = [];
  #awake = false;
  /** The number of positions that make a slice, by kind of work. @type {Map<string, SliceSize>} */
  #sizes = new Map();

  /**
   * @param {(message: FromWorker, transfer?: Transferable[]) => void} post
   * @param {(task: () => void) => () => void} defer  makes a function that runs a task after the messages that wait
   * @param {() => number} [now]  milliseconds
   */
  constructor(post, defer, now = () => performance.now()) {
    this.#post = post;
    this.#wake = defer(() => this.#turn());
    this.#now = now;
  }

  /** The instance in use, for tests. */
  get core() {
    return this.#core;
  }

  /** @param {ToWorker} message */
  receive(message) {
    const { id } = message;
    try {
      switch (message.type) {
        case 'beat':
          this.#post({ type: 'here', id });
          break;
        case 'measure':
          this.#post({ type: 'measured', id, speed: spin(message.loop, message.from, message.to) });
          break;
        case 'open': {
          this.#origin = { module: message.module, bytes: message.bytes };
          this.#core = undefined;
          this.#opened(id, this.#live());
          break;
        }
        case 'begin': {
          this.#origin = this.#core = undefined; // makes room
          const core = Core.begin(message.module, message.head, message.size);
          if (typeof core === 'string') this.#post({ type: 'fed', id, at: 0, lacks: core });
          else this.#fed(id, this.#core = core);
          break;
        }
        case 'feed': {
          const core = this.#live();
          core.feed(message.bytes);
          /** @type {any} */ (message.bytes.buffer).transfer?.(0); // its memory is free now, and not only when garbage is collected
          this.#fed(id, core);
          break;
        }
        case 'share': {
          const core = this.#live();
          this.#post({ type: 'shared', id, memory: core.shared, stacks: core.shared ? core.stacks(message.count) : [] });
          break;
        }
        case 'thread':
          helpForEver(message);
          break;
        case 'draw': {
          /** @type {Credit} */
          const credit = { chunk: 0 };
          this.#tasks.set(id, { work: this.#draw(message, credit), waiting: true, credit });
          break;
        }
        case 'next': {
          const task = this.#tasks.get(id);
          if (!task?.waiting) break; // it failed, or ended, while the credit was on its way
          task.waiting = false;
          Object.assign(task.credit, { chunk: message.chunk, allowed: message.allowed });
          this.#queue(id);
          break;
        }
        case 'score':
          this.#answer(id, this.#score(message));
          break;
        case 'attention':
          this.#answer(id, this.#attention(message));
          break;
        case 'encode':
          this.#answer(id, this.#encode(message));
          break;
        case 'keep':
          this.#post({ type: 'kept', id, state: this.#keptOf(this.#live()).keep(message) });
          break;
        case 'stop':
          this.#tasks.get(id)?.work.return();
          this.#tasks.delete(id);
          break;
      }
    } catch (error) {
      this.#fail(id, error);
    }
  }

  /** @param {number} id  @param {Core} core  complete */
  #opened(id, core) {
    const { parts, metadata, tokenizerEntries, fileBytes } = core;
    this.#post({ type: 'opened', id, parts, metadata, tokenizerEntries, fileBytes });
    core.tokenizerEntries = []; // the page has it
  }

  /** @param {number} id  @param {Core} core */
  #fed(id, core) {
    if (core.fed === core.fileBytes) this.#opened(id, core);
    else this.#post({ type: 'fed', id, at: core.fed });
  }

  /** @param {number} id  @param {Work} work  which needs no credit */
  #answer(id, work) {
    this.#tasks.set(id, { work, waiting: false, credit: { chunk: 0 } });
    this.#queue(id);
  }

  /** @param {number} id */
  #queue(id) {
    this.#turns.push(id);
    if (this.#awake) return;
    this.#awake = true;
    this.#wake();
  }

  /** One slice of the piece of work whose turn it is. */
  #turn() {
    this.#awake = false;
    const id = /** @type {number} */ (this.#turns.shift());
    const task = this.#tasks.get(id);
    if (task && !task.waiting) {
      try {
        const { done, value } = task.work.next();
        if (done) this.#tasks.delete(id);
        else if (value === GO_ON) this.#turns.push(id);
        else task.waiting = true;
      } catch (error) {
        this.#fail(id, error);
      }
    }
    if (this.#turns.length > 0 && !this.#awake) {
      this.#awake = true;
      this.#wake();
    }
  }

  /**
   * @param {number} id
   * @param {unknown} error
   */
  #fail(id, error) {
    this.#tasks.delete(id);
    this.#post({ type: 'failed', id, error: toPlain(error) });
    if (!this.#core?.poisoned) return;
    // The memory of every other run went with the instance.
    const lost = new NextPixelError('trap', 'Another run stopped the engine: start again');
    for (const other of this.#tasks.keys()) this.#post({ type: 'failed', id: other, error: toPlain(lost) });
    this.#tasks.clear();
    this.#core = undefined;
    if (!this.#origin) this.#post({ type: 'lost', id });
  }

  /** The instance, a fresh one after a trap. */
  #live() {
    if (this.#core) return this.#core;
    if (!this.#origin) throw new Error('no model is open');
    return (this.#core = new Core(this.#origin.module, this.#origin.bytes));
  }

  /**
   * A run. The first credit starts it: what is known, then a chunk for each credit.
   *
   * @param {DrawMessage} message  with at least one position to draw
   * @param {Credit} credit
   * @returns {Work}
   */
  *#draw(message, credit) {
    const { id, known, drawn = NONE, inputs, settings, maps: wantMaps = false, length = 0, part, resample, keyBits, constrained: masked } = message;
    const core = this.#live();
    const drawing = core.parts[part ?? core.part.index];
    const positions = length || drawing.length;
    const given = (known.length + drawn.length / settings.samples) / drawing.span;
    // Room for what is known and some more, then for twice as much whenever it is full; of a search for all, which it weighs by that.
    const room = drawing.grows && message.search === undefined ? roomFor(given, positions) : positions;
    const open = () => core.openSession(settings, { part, maps: wantMaps, length: room, inputs, keyBits, masked });
    const session = this.#withRoom(core, () => (message.keep && this.#keptOf(core).take(message)) || open());
    const reused = core.position(session);
    const all = [...known];
    let whole = true;
    try {
      if (session.length < given) this.#withRoom(core, () => core.growSession(session, room));
      yield* this.#read(core, session, inputs);
      yield* this.#put(core, session, known.subarray(reused * drawing.span));
      const { samples } = settings;
      const { kind, first, single, step } = stepperOf(core, session, message, credit);
      const rivals = resample && contest(samples, resample, session.part.span, core.position(session));
      const before = new Float32Array(drawn.length);
      yield* this.#put(core, session, drawn, rivals && before, true);
      rivals?.add(drawn, before);
      const start = core.position(session);
      let position = start;
      for (let last = false; !last;) {
        const from = position;
        const chunk = wantMaps || single ? 1 : credit.chunk;
        const stage = rivals?.stage(from) ?? Infinity;
        const end = Math.min(positions, chunk > 0 ? from + chunk : Infinity, stage);
        /** @type {Slice[]} */
        const slices = [];
        do {
          if (slices.length > 0) yield GO_ON;
          if (position === session.length) this.#withRoom(core, () => growRun(core, session, positions));
          const most = Math.min(end, session.length) - position;
          const slice = this.#paced(kind, first, single ? 1 : Math.min(most, core.sliceLimit(samples, session.part)), step);
          slices.push(slice);
          position = core.position(session);
          last = slice.ended || position === positions;
        } while (!last && position < (chunk > 0 ? end : from + 1)); // a position may take several slices
        const { ids, nats, ahead, alternatives } = joinSlices(slices);
        if (message.keep) all.push(...ids);
        const maps = wantMaps ? Array.from({ length: samples }, (_, sample) => mapRows(core, session, sample, from === start)) : undefined;
        rivals?.add(ids, nats);
        const parted = rivals && (last || position === stage) ? rivals.settle(last) : undefined;
        if (parted && !last) core.resample(session, parted.parents);
        const settled = rivals && parted && { from: rivals.begin, ids: parted.ids, nats: parted.nats, ahead: new Uint8Array(position - rivals.begin), anew: true };
        this.#post({ type: 'step', id, from, to: position, ids, nats, ahead, maps, alternatives, settled, reused, last }, [ids.buffer, nats.buffer, ahead.buffer]);
        if (!last) yield AWAIT_CREDIT;
      }
    } catch (error) {
      whole = false;
      throw error;
    } finally {
      if (message.keep && whole) this.#keptOf(core).add(session, all.slice(0, core.position(session)), message);
      else core.closeSession(session);
    }
  }

  /** @param {Core} core */
  #keptOf(core) {
    if (this.#kept?.core !== core) this.#kept = { core, sessions: new KeptSessions(core) };
    return this.#kept.sessions;
  }

  /**
   * Does what takes memory; where there is too little, again without the sessions that are kept.
   *
   * @template T
   * @param {Core} core
   * @param {() => T} work
   * @returns {T}
   */
  #withRoom(core, work) {
    try {
      return work();
    } catch (error) {
      if (/** @type {NextPixelError} */ (error).code !== 'memory' || !this.#keptOf(core).clear()) throw error;
      return work();
    }
  }

  /**
   * The results that a part leaves of its inputs.
   *
   * @param {EncodeMessage} message
   * @returns {Work}
   */
  *#encode({ id, part, inputs, results: wanted, maps: wantMaps, settings = READ_ONLY }) {
    const core = this.#live();
    const session = this.#withRoom(core, () => core.openSession(settings, { part, inputs, maps: wantMaps }));
    try {
      yield* this.#read(core, session, inputs);
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
      this.#post({ type: 'encoded', id, results, maps: wantMaps ? mapRows(core, session, 0, true) : undefined }, Object.values(results).map(({ buffer }) => buffer));
    } finally {
      core.closeSession(session);
    }
  }

  /**
   * @param {ScoreMessage} message
   * @returns {Work}
   */
  *#score({ id, ids, inputs }) {
    const core = this.#live();
    const session = this.#withRoom(core, () => core.openSession(READ_ONLY, { inputs, length: core.part.grows || !core.part.length ? ids.length / core.part.span : 0 }));
    try {
      yield* this.#read(core, session, inputs);
      const nats = new Float32Array(ids.length);
      yield* this.#put(core, session, ids, nats);
      this.#post({ type: 'scored', id, nats }, [nats.buffer]);
    } finally {
      core.closeSession(session);
    }
  }

  /**
   * The query of the last position of `ids`: all before it are fed, then it is computed with its output layer.
   *
   * @param {AttentionMessage} message
   * @returns {Work}
   */
  *#attention({ id, ids, inputs }) {
    const core = this.#live();
    const session = core.openSession(READ_ONLY, { maps: true });
    try {
      yield* this.#read(core, session, inputs);
      yield* this.#put(core, session, ids.subarray(0, -core.part.span));
      core.put(session, ids.subarray(-core.part.span), true);
      const map = core.part.maps.findIndex(({ name }) => name === 'attention');
      const rows = Array.from({ length: core.part.maps[map].rows }, (_, row) => core.map(session, 0, map, row));
      // The keys that any of the heads looks at; one that sees fewer has weights of 0 at the others.
      const keys = Uint32Array.from(new Set(rows.flatMap((row) => [...row.keys]))).sort();
      const weights = new Float32Array(rows.length * keys.length);
      rows.forEach((row, at) => row.keys.forEach((key, k) => { weights[at * keys.length + keys.indexOf(key)] = row.weights[k]; }));
      this.#post({ type: 'attended', id, keys, weights }, [keys.buffer, weights.buffer]);
    } finally {
      core.closeSession(session);
    }
  }

  /**
   * Gives a run its inputs and has them encoded, slice by slice.
   *
   * @param {Core} core
   * @param {Session} session
   * @param {Inputs} inputs
   * @returns {Work}
   */
  *#read(core, session, inputs) {
    for (const [name, ids] of Object.entries(inputs)) core.input(session, name, ids);
    for (let more = true; more;) {
      more = this.#paced('encode', 1, Infinity, (count) => {
        let left = true;
        for (let i = 0; i < count && left; i++) left = core.encode(session);
        return left;
      });
      if (more) yield GO_ON;
    }
  }

  /**
   * Feeds known ids slice by slice.
   *
   * @param {Core} core
   * @param {Session} session
   * @param {Uint32Array} ids
   * @param {Float32Array} [nats]  written: one per id
   * @param {boolean} [each]       (positions, samples, span) ids, those of each sample; else all samples have the same
   * @returns {Work}
   */
  *#put(core, session, ids, nats, each = false) {
    const { samples, part } = session;
    const width = part.span * (each ? samples : 1);
    for (let at = 0; at < ids.length;) {
      const most = Math.min((ids.length - at) / width, core.sliceLimit(samples, part));
      at += this.#paced(`${nats ? 'score' : 'put'} ${each ? samples : 1}`, 4, most, (count) => {
        const cost = core.put(session, ids.subarray(at, at + count * width), nats !== undefined, each);
        nats?.set(cost, at);
        return count * width;
      });
      yield GO_ON;
    }
  }

  /**
   * Does as much work as fills a slice, by what earlier slices took.
   *
   * @template T
   * @param {string} kind   of work; kinds differ in the time that a position takes
   * @param {number} first  positions of the very first slice
   * @param {number} most
   * @param {(count: number) => T} work
   * @returns {T}
   */
  #paced(kind, first, most, work) {
    let size = this.#sizes.get(kind);
    if (!size) this.#sizes.set(kind, (size = new SliceSize(first)));
    const count = Math.min(most, size.count);
    const start = this.#now();
    const result = work(count);
    size.record(count, this.#now() - start);
    return result;
  }
}

/** A run begins with room for so many positions more than are known, or up to twice as many. */
const FIRST_ROOM = 256;

/**
 * Positions that a run begins with room for.
 *
 * @param {number} known
 * @param {number} positions  of the whole run
 */
function roomFor(known, positions) {
  return Math.min(positions, FIRST_ROOM * Math.ceil((known + FIRST_ROOM) / FIRST_ROOM));
}

/**
 * Makes a run twice as long as it is; where that is too long for this machine, a little longer.
 *
 * @param {Core} core
 * @param {Session} session
 * @param {number} positions  of the whole run
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
 * Every row of every map of the position drawn last. Rows that look at the same share their keys.
 *
 * @param {Core} core
 * @param {Session} session
 * @param {number} sample
 * @param {boolean} encoded  also maps of how the inputs were encoded, a row for each query of each head
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

/**
 * The number of positions that fill a slice. It learns from each; clocks in browsers may be as coarse as 16 ms, so it moves by
 * bounded steps.
 */
export class SliceSize {
  /** @param {number} first */
  constructor(first) {
    this.count = first;
  }

  /**
   * @param {number} count  positions done
   * @param {number} ms     time they took
   */
  record(count, ms) {
    const ideal = ms > 0 ? (count * SLICE_MS) / ms : Infinity;
    // A slice cut short by the end of the image says little about a longer one: it may lower the count, not raise it.
    const ceiling = count < this.count ? this.count : 2 * this.count;
    this.count = Math.max(1, Math.round(Math.min(Math.max(ideal, this.count / 4), ceiling, 1 << 16)));
  }
}
