// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The worker's side of the protocol: receives messages, does the work in chunks, and posts responses. This module does not use the Worker
 * API itself. Concurrent jobs alternate after each chunk. The event loop runs between chunks, so a stop takes effect within about 10 ms.
 */

import { Core } from './core.js';
import { helpForEver } from './instance.js';
import { NextPixelError, toPlain } from '../base/error.js';
import { spin } from './core-probe.js';
import { KeptSessions } from './kept.js';
import { Pace } from './pace.js';
import { GO_ON, draw, encode, look, score } from './work.js';

/** @import { FromWorker, ToWorker } from './protocol.js' */
/** @import { Credit, Tools, Work } from './work.js' */

/** @typedef {{ work: Work, waiting: boolean, credit: Credit }} Job */

export class Jobs {
  /** @type {(message: FromWorker, transfer?: Transferable[]) => void} */
  #post;
  /** @type {() => void} */
  #wake;
  /** The measured speed of the current model. */
  #pace;
  /** @type {() => Pace} */
  #newPace;
  /** The data needed to make a fresh instance after a trap. Undefined for a large file, whose bytes are not stored for this purpose.
   * @type {{ module: WebAssembly.Module, bytes: Uint8Array } | undefined} */
  #origin;
  /** @type {Core | undefined} */
  #core;
  /** The cached sessions of the current instance. @type {{ core: Core, sessions: KeptSessions } | undefined} */
  #kept;
  /** The unfinished jobs, by id. @type {Map<number, Job>} */
  #jobs = new Map();
  /** The ids of the jobs that have work to do, in round-robin order. @type {number[]} */
  #turns = [];
  #awake = false;

  /**
   * @param {(message: FromWorker, transfer?: Transferable[]) => void} post
   * @param {(callback: () => void) => () => void} defer  returns a function that schedules the callback after all messages that are already
   *   queued
   * @param {() => number} [now]  returns the time in milliseconds
   */
  constructor(post, defer, now = () => performance.now()) {
    this.#post = post;
    this.#wake = defer(() => this.#turn());
    this.#newPace = () => new Pace(now);
    this.#pace = this.#newPace();
  }

  /** Returns the instance in use, for tests. */
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
          this.#pace = this.#newPace();
          this.#opened(id, this.#live());
          break;
        }
        case 'begin': {
          this.#origin = this.#core = undefined; // frees the memory before the new model is opened
          this.#pace = this.#newPace();
          const core = Core.begin(message.module, message.head, message.size);
          if (typeof core === 'string') this.#post({ type: 'fed', id, at: 0, lacks: core });
          else this.#fed(id, (this.#core = core));
          break;
        }
        case 'feed': {
          const core = this.#live();
          core.feed(message.bytes);
          this.#fed(id, core, /** @type {ArrayBuffer} */ (message.bytes.buffer));
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
          const credit = { chunkSize: 0 };
          this.#jobs.set(id, { work: draw(this.#tools(), message, credit), waiting: true, credit });
          break;
        }
        case 'next': {
          const job = this.#jobs.get(id);
          if (!job?.waiting) break; // the job failed or ended before the credit arrived
          job.waiting = false;
          Object.assign(job.credit, { chunkSize: message.chunkSize, allowed: message.allowed });
          this.#queue(id);
          break;
        }
        case 'score':
          this.#answer(id, score(this.#tools(), message));
          break;
        case 'look':
          this.#answer(id, look(this.#tools(), message));
          break;
        case 'encode':
          this.#answer(id, encode(this.#tools(), message));
          break;
        case 'keep': {
          const state = this.#tools().kept.keep(message);
          this.#post({ type: 'kept', id, state }, state && [state.bytes.buffer]);
          break;
        }
        case 'stop':
          this.#jobs.get(id)?.work.return();
          this.#jobs.delete(id);
          break;
      }
    } catch (error) {
      this.#fail(id, error);
    }
  }

  /** @param {number} id @param {Core} core  a complete model */
  #opened(id, core) {
    const { parts, metadata, tokenizerEntries, fileBytes } = core;
    this.#post({ type: 'opened', id, parts, metadata, tokenizerEntries, fileBytes });
    core.tokenizerEntries = []; // not needed any more, because the page has received these entries
  }

  /** @param {number} id @param {Core} core @param {ArrayBuffer} [room]  buffer of the bytes that were fed */
  #fed(id, core, room) {
    if (core.fed === core.fileBytes) this.#opened(id, core);
    else this.#post({ type: 'fed', id, at: core.fed, room }, room && [room]);
  }

  /** @param {number} id @param {Work} work  work that needs no credit from the page */
  #answer(id, work) {
    this.#jobs.set(id, { work, waiting: false, credit: { chunkSize: 0 } });
    this.#queue(id);
  }

  /** @param {number} id */
  #queue(id) {
    this.#turns.push(id);
    if (this.#awake) return;
    this.#awake = true;
    this.#wake();
  }

  /** Runs one chunk of the next job. */
  #turn() {
    this.#awake = false;
    const id = /** @type {number} */ (this.#turns.shift());
    const job = this.#jobs.get(id);
    if (job && !job.waiting) {
      try {
        const { done, value } = job.work.next();
        if (done) this.#jobs.delete(id);
        else if (value === GO_ON) this.#turns.push(id);
        else job.waiting = true;
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
    this.#jobs.delete(id);
    this.#post({ type: 'failed', id, error: toPlain(error) });
    if (!this.#core?.poisoned) return;
    // The instance's memory was lost, so all other runs have failed, too.
    const lost = new NextPixelError('trap', 'Another run stopped the engine: start again');
    for (const other of this.#jobs.keys()) this.#post({ type: 'failed', id: other, error: toPlain(lost) });
    this.#jobs.clear();
    this.#core = undefined;
    if (!this.#origin) this.#post({ type: 'lost', id });
  }

  /** Returns the instance; starts a fresh one after a trap. */
  #live() {
    if (this.#core) return this.#core;
    if (!this.#origin) throw new Error('no model is open');
    return (this.#core = new Core(this.#origin.module, this.#origin.bytes));
  }

  /** @returns {Tools} */
  #tools() {
    const core = this.#live();
    if (this.#kept?.core !== core) this.#kept = { core, sessions: new KeptSessions(core) };
    return { core, kept: this.#kept.sessions, pace: this.#pace, post: this.#post };
  }
}
