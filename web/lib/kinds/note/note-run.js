// SPDX-License-Identifier: MIT
// @ts-check

import { checkOptions } from '../../base/checks.js';
import { NextPixelError } from '../../base/error.js';
import { part } from '../../base/part.js';
import { isPromise } from '../../base/promise.js';
import { aloud } from '../../runs/aloud.js';
import { before, mapOf } from '../../runs/attention-map.js';
import { BaseRun } from '../../runs/base-run.js';
import { probabilitiesOf } from '../../runs/probabilities.js';
import { writeWav } from '../../media/wav.js';
import { Reader, decode } from './codec.js';
import { Roll } from './roll.js';
import { play, render } from './synth.js';

/** @import { Saying } from '../../element/say.js' */
/** @import { Settings, StepMessage } from '../../engine/protocol.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { Link } from '../../workers/link.js' */
/** @import { Alphabet } from './alphabet.js' */
/** @import { Note, NoteEvent } from './codec.js' */
/** @import { Given } from './given.js' */
/** @import { Bounds, Change } from './piece.js' */
/** @import { RollOptions } from './roll.js' */
/** @import { NotesPlayed, NotePlayOptions } from './synth.js' */

/**
 * One or more events, in the order in which they were drawn. The first step of a run that continues music contains the given events.
 *
 * @typedef {object} NoteStep
 * @property {number} from         position of the first id
 * @property {number} to           position after the last id
 * @property {number} time         ticks of the music so far, including this step
 * @property {NoteEvent[]} events  notes, rests (a voice is turned off), waits, and the end
 * @property {Uint32Array} ids     shape (to - from): the ids of `events`
 * @property {Float32Array} nats   shape (to - from): -log p of each id, given all ids before it, under the model's own distribution; 0 for
 *   given events
 * @property {Float32Array} [probabilities]  with the option `probabilities`: the distribution from which each id was drawn, shape (to -
 *   from, number of ids in the alphabet). `info.notes` describes the ids
 * @property {AttentionMap[]} [maps]  with the option `maps`: one attention map for each attention head
 */

/** The options for drawing and playing. @typedef {{ settings: Settings, seed: number | bigint, probabilities: boolean, maps: boolean,
 * chunkSize: number, tempo: number, tempoOfFile: boolean, parallels: boolean }} Playing tempoOfFile: whether the given music may set
 * another tempo */

/** Bounds of the option `tempo`. */
const SLOWEST = 20;
const FASTEST = 400;

/** The ids with which a run begins, and the bounds for the ids that it draws. @typedef {{ known: number[], bounds: Bounds }} Plan */

/** @typedef {{ given?: Given, plan: Plan }} Planned */

/**
 * The alphabet of a model, its units of time, and its numbers of positions and attention heads.
 * @typedef {{ alphabet: Alphabet, ticks: number, bar: number, positions: number, heads: number }} Clock
 */

/**
 * A saved run, from run.save(): a plain object, which can be stored as JSON and passed to model.resume().
 *
 * @typedef {object} SavedNote
 * @property {1} version
 * @property {string} model     identifies the model that the run belongs to
 * @property {string} seed
 * @property {number[]} known   the ids that the run continues
 * @property {number[]} ids     the drawn ids
 * @property {number[]} nats    nats of the drawn ids
 * @property {{ voices: number[], changes: Change[], most: number | null, whole: boolean }} held
 * @property {object} options   the options of the call, without seed and signal
 */

/**
 * One run of a music model. It can be read as an async iterable of steps, as notes or as a MIDI file; it can be drawn as a piano roll on a
 * canvas; and it can be played. All of this can be done in any order or at the same time, because the drawn music is stored.
 *
 * @extends {BaseRun<NoteStep, string>}
 */
export class NoteRun extends BaseRun {
  #link;
  #clock;
  #how;
  /** @type {Plan | undefined} */
  #plan;
  #reader;
  /** @type {number[]} */
  #ids = [];
  /** @type {number[]} */
  #nats = [];

  /** Quarter notes per minute for playback and files, from the option `tempo`. Without the option, complete() keeps the tempo of its MIDI
   * file, which is known once `input` has resolved. @type {number} */
  tempo;

  /** Samples per second in the results of samples() and wav(). */
  sampleRate = 44100;

  /** Resolves with the piece that complete() continues or harmonises, as the model receives it. Rejects if the piece cannot be read, or if
   * the run ends first.
   * @returns {Promise<Given | undefined>} */
  get input() {
    return this.once(() => this.#given);
  }

  /** @type {Given | undefined} */
  #given;

  /**
   * @param {Link} link
   * @param {Clock} clock
   * @param {Planned | Promise<Planned>} planned
   * @param {Playing} how
   * @param {{ model: string, options: object }} kept  the data that save() needs
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, clock, planned, how, kept, signal) {
    super(how.seed, kept, signal);
    this.#link = link;
    this.#clock = clock;
    this.#how = how;
    this.#reader = new Reader(clock.alphabet);
    this.tempo = how.tempo;
    if (!isPromise(planned)) this.#plan = planned.plan;
    else
      this.expect(
        planned.then(({ given, plan }) => {
          if (how.tempoOfFile && given?.tempo)
            Object.assign(kept.options, { tempo: (this.tempo = Math.min(FASTEST, Math.max(SLOWEST, given.tempo))) });
          this.#given = given;
          this.#plan = plan;
        }),
      );
  }

  /**
   * Restores the ids that a saved run had drawn; the run continues after them.
   * @param {{ ids: number[], nats: number[] }} saved
   * @internal
   */
  after({ ids, nats }) {
    [this.#ids, this.#nats] = [[...ids], [...nats]];
    const { known, bounds } = /** @type {Plan} */ (this.#plan);
    const notes = decode(this.#clock.alphabet, known, bounds);
    if (notes.length > 0) this.#given = { notes, tempo: 0, said: '' };
    return this;
  }

  /**
   * Returns everything that is needed to resume the run: model.resume(saved) draws the same music as this run would have drawn. For
   * complete(), this method can be called once `input` has resolved.
   *
   * @returns {SavedNote}
   */
  save() {
    if (!this.#plan) throw new NextPixelError('state', 'The music to continue has not been read yet: await run.input first');
    const { known, bounds } = this.#plan;
    return this.saved({
      known,
      ids: this.#ids,
      nats: this.#nats,
      held: { ...bounds, most: Number.isFinite(bounds.most) ? bounds.most : null },
    });
  }

  /**
   * Returns all notes, including the given ones.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Note[]>}
   */
  async notes(options = {}) {
    await this.#events(options, 'notes()');
    return this.#reader.notes();
  }

  /** The same as notes(). @param {{ signal?: AbortSignal }} [options] @returns {Promise<Note[]>} */
  async result(options = {}) {
    return this.notes(options);
  }

  /**
   * Returns the music as a Standard MIDI file, with one track per voice.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Blob>}
   */
  async midi(options = {}) {
    const { alphabet, ticks } = this.#clock;
    const notes = await this.notes(options);
    const { writeNotes } = await part(() => import('./midi.js'));
    return new Blob([writeNotes(notes, { ticks, voices: alphabet.voices.map(({ name }) => name), tempo: this.tempo })], {
      type: 'audio/midi',
    });
  }

  /**
   * Returns the sound that playTo() plays, as a 16-bit WAV file. Needs Web Audio.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Blob>}
   */
  async wav(options = {}) {
    return new Blob([writeWav(await this.samples(options), this.sampleRate)], { type: 'audio/wav' });
  }

  /**
   * Returns the sound that playTo() plays, as samples.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Float32Array>} samples between -1 and 1, at `sampleRate` samples per second
   */
  async samples(options = {}) {
    const events = await this.#events(options, 'samples()');
    return render(events, this.#reader.time, this.#perTick, this.sampleRate);
  }

  /**
   * Draws the music as a piano roll while it is computed. Each voice has its own colour. A note with more nats has a wider outline. The
   * canvas keeps its size on the page, and its style sets the other colours. For screen readers, the text content of the canvas element is
   * set to a sentence about the music.
   *
   * @param {Canvas} canvas
   * @param {RollOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the sentence about the music
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
  }

  /**
   * Plays the music with oscillators, even while the model is still drawing it. Call playTo() in the handler of a click or a key press,
   * because browsers allow sound only then.
   *
   * @param {import('../../base/dom.js').Dom<'AudioContext'>} context
   * @param {NotePlayOptions} [options]
   * @returns {Promise<NotesPlayed>} resolves when everything has been played, with the final state of the playback
   */
  async playTo(context, options = {}) {
    checkOptions(options, 'playTo()', ['signal', 'destination', 'onPlay']);
    return play(this.read(options.signal), context, this.#perTick, options);
  }

  /** @param {Canvas} canvas @param {RollOptions} [options] @internal */
  sink(canvas, options) {
    const {
      alphabet: { voices },
      ticks,
      bar,
    } = this.#clock;
    return new Roll(canvas, { voices, ticks, bar, ...options });
  }

  /**
   * Returns the fraction of the run that is complete after a step, 0 to 1. This is an estimate, because the final length of the music is
   * unknown.
   * @param {NoteStep} step
   * @internal
   */
  doneWith({ to, time }) {
    if (this.finish) return 1;
    const most = this.#plan?.bounds.most ?? Infinity;
    return Math.min(1, Math.max(to / this.#clock.positions, Number.isFinite(most) ? time / most : 0));
  }

  /**
   * Plays the music while it is shown. If the visitor has not clicked or pressed a key on the page yet, nothing is played.
   *
   * @param {{ cursor: number }} sink
   * @param {AbortSignal} signal
   * @param {(now: string | Saying) => void} say
   * @param {(rest: (resting: boolean) => void) => void} onStart  receives a function that silences the music temporarily
   * @returns {Promise<void>} resolves when everything has been played, or playback has stopped
   * @internal
   */
  async aloud(sink, signal, say, onStart) {
    const onPlay = (/** @type {NotesPlayed} */ { seconds, ticks, over }) => {
      if (signal.aborted) return;
      sink.cursor = over ? -1 : ticks;
      say(['Playing {seconds} s', { seconds: [seconds, 1] }]);
    };
    await aloud(sink, async (context) => {
      await play(this.read(signal), context, this.#perTick, { signal, onPlay }, onStart);
    });
  }

  get #perTick() {
    return 60 / this.tempo / this.#clock.ticks;
  }

  /** @param {{ signal?: AbortSignal }} options @param {string} whose */
  async #events(options, whose) {
    checkOptions(options, whose, ['signal']);
    /** @type {NoteEvent[]} */
    const all = [];
    for await (const { events } of this.read(options.signal)) all.push(...events);
    return all;
  }

  /** @returns {AsyncGenerator<NoteStep, void, void>} @internal */
  async *stream() {
    const { known, bounds } = /** @type {Plan} */ (this.#plan);
    const { settings, probabilities, maps, parallels, chunkSize } = this.#how;
    const { alphabet, positions } = this.#clock;
    const before = [...known, ...this.#ids];
    const nats = [...known.map(() => 0), ...this.#nats];
    if (before.length > 1) yield this.#stepOf(0, Uint32Array.from(before), Float32Array.from(nats), known.length);
    else this.#reader.push(before[0], 0, true);
    this.finish = this.#finished(before.length >= positions);
    if (this.finish) return;
    // Reserves a bias for every id, because the worker excludes an id by changing its bias.
    const logitBias = alphabet.said.map((_, id) => /** @type {[number, number]} */ ([id, 0]));
    const order = {
      known: Uint32Array.from(before),
      inputs: {},
      settings: { ...settings, samples: 1, logitBias },
      maps,
      notes: { said: alphabet.said, bounds: { ...bounds, parallels } },
      ...(probabilities && { alternatives: alphabet.said.length }),
    };
    for await (const { message } of this.messages([{ link: this.#link, order }], maps ? 1 : chunkSize)) {
      const step = this.#take(message);
      this.finish = this.#finished(message.last);
      yield step;
      if (this.finish) return;
    }
  }

  /**
   * Returns the reason why the music is over, or undefined if the music continues.
   * @param {boolean} full  whether the model's capacity is used up
   */
  #finished(full) {
    const { most, whole } = /** @type {Plan} */ (this.#plan).bounds;
    if (this.#ids.at(-1) === this.#clock.alphabet.end) return this.#reader.time >= most && !whole ? 'length' : 'end';
    return full ? 'length' : undefined;
  }

  /** @param {StepMessage} message @returns {NoteStep} */
  #take({ from, ids, nats, alternatives, maps }) {
    const step = this.#stepOf(from, ids, nats, 0);
    this.#ids.push(...ids);
    this.#nats.push(...nats);
    if (alternatives) step.probabilities = probabilitiesOf(alternatives, ids.length, this.#clock.alphabet.said.length);
    if (maps) step.maps = maps[0].map((row) => mapOf(row, this.#clock.heads, from, before));
    return step;
  }

  /**
   * @param {number} from
   * @param {Uint32Array} ids
   * @param {Float32Array} nats
   * @param {number} known  the number of given ids
   * @returns {NoteStep}
   */
  #stepOf(from, ids, nats, known) {
    const {
      bounds: { voices },
    } = /** @type {Plan} */ (this.#plan);
    const { said } = this.#clock.alphabet;
    const events = [...ids].flatMap((id, i) => this.#reader.push(id, nats[i], i < known || voices.includes(said[id].voice)) ?? []);
    return { from, to: from + ids.length, time: this.#reader.time, events, ids: ids.slice(), nats: nats.slice() };
  }
}
