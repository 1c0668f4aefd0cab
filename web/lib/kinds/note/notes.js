// SPDX-License-Identifier: MIT
// @ts-check

/** Music models. Only pages with music load this file. */

import { checkSettings, show } from '../../base/checks.js';
import { copyOf } from '../../base/copy.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { listOf } from '../../engine/keys.js';
import { modelName, resumedOptions } from '../../runs/base-run.js';
import { checkSaved, finite, arrayOf, object, whole } from '../../runs/saved.js';
import { Alphabet } from './alphabet.js';
import { changesOf, encode, endOf } from './codec.js';
import { given, voiceNamed } from './given.js';
import { NoteRun } from './note-run.js';
import { UNBOUND } from './piece.js';

/** @import { Facts, ScoredMessage } from '../../engine/protocol.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { NoteOptions } from '../../options.js' */
/** @import { Given, MusicSource } from './given.js' */
/** @import { Clock, Plan, Planned, SavedNote } from './note-run.js' */

export { sound } from './synth.js';

/**
 * The cost of music under a model: -log p.
 *
 * @typedef {object} NoteScore
 * @property {number} nats              minus log p(ids of the music, including the end), natural logarithm
 * @property {number} natsPerNote       nats divided by the number of notes
 * @property {number} natsPerTick       nats divided by the number of ticks
 * @property {Float32Array} perElement  nats of each id after the first
 * @property {Given} given              the music in the form that the model takes
 */

/** Ticks per quarter note and per bar, if a file does not state them. */
const TICKS = 4;
const BAR = 16;

/**
 * The description of a music model.
 *
 * @typedef {object} NoteInfo
 * @property {number} ticks         ticks per quarter note
 * @property {number} bar           ticks per bar
 * @property {string[]} voices      the names of the voices, from the highest to the lowest
 * @property {[number, number][]} ranges  the lowest and the highest pitch of each voice, MIDI note numbers
 * @property {{ ticks: number, voice: number, pitch: number }[]} notes  for each id: the ticks that pass, the index of the voice or -1, and
 *   the pitch or 0
 */

/** The methods of a music model. */
export class NoteModel {
  #engine;
  /** @type {Clock} */
  #clock;

  /**
   * @internal
   * @param {Engine} engine
   * @param {Facts} facts
   */
  constructor(engine, { metadata, parts: [part] }) {
    this.#engine = engine;
    const said = (/** @type {string} */ key) => metadata.get(`${engine.info.architecture}.notes.${key}`);
    const list = (/** @type {string} */ key) => {
      const found = said(key);
      return Array.isArray(found) ? found : [];
    };
    // the engine has checked the values under these keys
    const [ticks, voices, pitches] = ['id_ticks', 'id_voices', 'id_pitches'].map((key) => list(key).map(Number));
    const alphabet = new Alphabet(
      ticks.map((passing, id) => ({ ticks: passing, voice: voices[id] - 1, pitch: pitches[id] })),
      listOf(metadata, `${engine.info.architecture}.notes.voices`, 'strings'),
    );
    this.#clock = {
      alphabet,
      ticks: Number(said('ticks') ?? TICKS),
      bar: Number(said('bar') ?? BAR),
      positions: part.length,
      heads: engine.info.heads,
    };
    Object.assign(engine.info, {
      ticks: this.#clock.ticks,
      bar: this.#clock.bar,
      voices: alphabet.voices.map(({ name }) => name),
      ranges: alphabet.voices.map(({ low, high }) => [low, high]),
      notes: alphabet.said,
    });
  }

  /**
   * @param {NoteOptions} options
   * @param {Planned | Promise<Planned>} [planned]
   */
  #run(options, planned) {
    const { links, info } = this.#engine;
    const {
      settings,
      options: { bars, probabilities, maps, tempo, parallels, chunkSize = 0 },
      seed,
    } = checkSettings('note', options);
    const { alphabet, bar } = this.#clock;
    const { seed: _, signal, ...kept } = options;
    const plan = { known: [alphabet.end], bounds: { ...UNBOUND, most: bars ? bars * bar : Infinity } };
    return new NoteRun(
      links[0],
      this.#clock,
      planned ?? { plan },
      { settings, seed, probabilities, maps, chunkSize, tempo, tempoOfFile: options.tempo === undefined, parallels },
      { model: modelName(info), options: kept },
      signal,
    );
  }

  /**
   * Draws music without input.
   *
   * @param {NoteOptions} [options]
   * @returns {NoteRun}
   */
  generate(options = {}) {
    return this.#run(options);
  }

  /**
   * Continues music or, with `voices`, harmonises it: the given voices stay unchanged, and the others are drawn to fit them.
   *
   * @param {MusicSource} music  notes, or a MIDI file as a Blob, bytes or an address. Notes are rounded to whole ticks; the property `said`
   *   of `run.input` describes these changes
   * @param {NoteOptions & { voices?: (string | number)[] }} [options]  voices: names or indices of the voices that are given
   * @returns {NoteRun}
   */
  complete(music, options = {}) {
    const { alphabet, ticks } = this.#clock;
    const { voices: labels, bars } = options;
    if (labels !== undefined && !Array.isArray(labels))
      throw argumentError(`voices must be a list of the voices to keep, not ${show(labels)}`);
    const held = labels?.map((label) => voiceNamed(label, alphabet).name);
    const planned = given(music, alphabet, ticks, held, options.signal).then((found) => ({
      given: found,
      plan: this.#plan(found, held, bars),
    }));
    planned.catch(() => {}); // avoids an unhandled rejection; readers of the run receive the error
    return this.#run(options, planned);
  }

  /**
   * @param {Given} given
   * @param {string[]} [held]  the given voices; if undefined, the run continues the music
   * @param {number} [bars]
   * @returns {Plan}
   */
  #plan({ notes }, held, bars) {
    const { alphabet, bar } = this.#clock;
    if (!held?.length) {
      const known = this.#fitting(encode(alphabet, notes));
      return { known, bounds: { ...UNBOUND, most: bars ? Math.max(bars * bar, endOf(notes)) : Infinity } };
    }
    const stray = notes.find(({ voice }) => !held.includes(voice));
    if (stray) throw argumentError(`The music has notes of the ${stray.voice}, which is not among the voices to keep (${held.join(', ')})`);
    const most = endOf(notes);
    const changes = changesOf(alphabet, notes, most);
    this.#fitting(encode(alphabet, notes));
    return {
      known: [alphabet.end],
      bounds: { voices: held.map((name) => alphabet.voices.findIndex((voice) => voice.name === name)), changes, most, whole: true },
    };
  }

  /** @param {number[]} ids */
  #fitting(ids) {
    const { positions } = this.#clock;
    if (ids.length >= positions)
      throw new NextPixelError('limit', `The music has ${ids.length} events, but the model can hold ${positions}: give a shorter piece`);
    return ids;
  }

  /**
   * Resumes a saved run. The resumed run draws the music that the saved run would have drawn. With `at`, the resumed run keeps only the
   * first `at` drawn ids, and draws the following ids again.
   *
   * @param {SavedNote} saved  the result of run.save()
   * @param {NoteOptions & { at?: number }} [options]  at: number of drawn ids to keep. With this option, seed, temperature, topK and topP
   *   may differ from those of the saved run
   * @returns {NoteRun}
   */
  resume(saved, { at, ...options } = {}) {
    const all = resumedOptions(saved, this.#engine.info, options, [
      'signal',
      'probabilities',
      'maps',
      'chunkSize',
      'tempo',
      ...(at === undefined ? [] : ['seed', 'temperature', 'topK', 'topP']),
    ]);
    const { known, ids, nats, held } = saved;
    const {
      alphabet: { end, said, voices },
      positions,
    } = this.#clock;
    const isId = whole(0, said.length - 1);
    const most = positions - (Array.isArray(known) ? known.length : 0);
    checkSaved(saved, {
      known: (list) => arrayOf(isId, positions, 1)(list) && list.indexOf(end) === 0 && list.lastIndexOf(end) === 0,
      ids: (list) => arrayOf(isId, most)(list) && !list.slice(0, -1).includes(end),
      nats: arrayOf(finite, ids.length, ids.length),
      held: (value) =>
        object({
          voices: arrayOf(whole(0, voices.length - 1)),
          whole: (flag) => typeof flag === 'boolean',
          most: (ticks) => ticks === null || whole(0, Number.MAX_SAFE_INTEGER)(ticks),
          changes: arrayOf(object({ time: whole(0, Number.MAX_SAFE_INTEGER), id: (id) => isId(id) && id !== end && said[id].ticks === 0 })),
        })(value) &&
        value.changes.every((/** @type {any} */ { time }, /** @type {number} */ i) => time >= (value.changes[i - 1]?.time ?? 0)),
    });
    const kept = at ?? ids.length;
    if (!Number.isInteger(kept) || kept < 0 || kept > ids.length)
      throw argumentError(`at must be a whole number from 0 to ${ids.length}, not ${show(at)}`);
    const plan = copyOf({ known, bounds: { ...held, most: held.most ?? Infinity } });
    return this.#run(all, { plan }).after({ ids: ids.slice(0, kept), nats: nats.slice(0, kept) });
  }

  /**
   * Returns the probability of the music under the model, id by id.
   *
   * @param {MusicSource} music  as in complete()
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<NoteScore>}
   */
  async score(music, { signal } = {}) {
    const { alphabet, ticks } = this.#clock;
    const found = await given(music, alphabet, ticks, undefined, signal);
    const ids = Uint32Array.from(this.#fitting([...encode(alphabet, found.notes), alphabet.end]));
    /** @type {ScoredMessage} */
    const { nats: all } = await this.#engine.ask({ type: 'score', ids, inputs: {} }, signal);
    const perElement = all.subarray(1); // without the first id, which is given
    const nats = perElement.reduce((sum, cost) => sum + cost, 0);
    const struck = [...ids].filter((id) => alphabet.said[id].pitch > 0).length;
    return { nats, natsPerNote: nats / struck, natsPerTick: nats / endOf(found.notes), perElement, given: found };
  }
}
