// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Draws music as a piano roll: time to the right, pitch upwards, one rectangle per note in the colour of its voice. A drawn note with more
 * nats has a wider outline. Notes that were given, not drawn, have the text colour. If the visitor's system forces colours, given notes are
 * hollow. If the visitor prefers reduced motion, the roll appears only when it is complete.
 */

import { media } from '../../base/media.js';
import { Timeline } from '../../sinks/timeline.js';
import { pitchName } from './alphabet.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { Voice } from './alphabet.js' */
/** @import { NoteEvent } from './codec.js' */
/** @import { NoteStep } from './note-run.js' */

/**
 * @typedef {object} RollOptions
 * @property {Dom<'Element'>} [mirror]  an element whose text is set to a sentence about the music
 * @property {number} [from]            first tick of the part to show; by default the whole music is shown
 * @property {number} [to]
 */

/** A note on the roll. @typedef {{ voice: string, pitch: number, start: number, end: number, nats: number, given: boolean, position: number }} Shown */

/** A note with this many nats, or more, has the widest stroke around it. */
const MOST_NATS = 4;
/** The colour of each voice, legible on light and dark pages, and the maximum width of the stroke around a note, in pixels. */
const INKS = ['#2f6fd0', '#c05618', '#27804f', '#9556c7'];
const STROKE = 3;
/** The roll has space for at least this number of bars, so that the first notes are not as wide as the canvas. */
const LEAST_BARS = 8;
const BLACK = [1, 3, 6, 8, 10];

export class Roll extends Timeline {
  #ticks;
  #bar;
  #low;
  #high;
  /** Names of the voices. */
  #voices;
  /** The sounding note of each voice. @type {Map<string, Shown>} */
  #open = new Map();
  #calm = media('(prefers-reduced-motion: reduce)').matches;
  #drawn = { nats: 0, notes: 0 };

  /** Called when the notes have been painted, to paint on top of them. @type {((roll: Roll) => void) | undefined} */
  over;
  /** The notes on the roll, in the order in which they were added. @type {Shown[]} */
  notes = [];
  /** Ticks of the music so far. */
  time = 0;

  /**
   * @param {Canvas} canvas
   * @param {RollOptions & { voices: Voice[], ticks: number, bar: number }} options  ticks: per quarter note; bar: ticks per bar
   */
  constructor(canvas, { voices, ticks, bar, mirror, from, to }) {
    super(canvas, { from, to, mirror });
    this.#ticks = ticks;
    this.#bar = bar;
    this.#voices = voices.map(({ name }) => name);
    this.#low = Math.min(...voices.map(({ low }) => low)) - 1;
    this.#high = Math.max(...voices.map(({ high }) => high)) + 1;
    this.paint();
  }

  /** Returns the number of notes and bars, the number of given notes, and the mean nats per drawn note (NaN if none was drawn). */
  get facts() {
    const { nats, notes } = this.#drawn;
    return {
      notes: this.notes.length,
      bars: Math.ceil(this.time / this.#bar),
      given: this.notes.filter((note) => note.given).length,
      nats: notes > 0 ? nats / notes : NaN,
    };
  }

  /** Returns a sentence that describes the music. */
  get result() {
    const { notes, bars, given, nats } = this.facts;
    const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n} ${what}${n === 1 ? '' : 's'}`;
    return `Music of ${count(notes, 'note')} in ${count(bars, 'bar')}${given > 0 ? `, of which ${count(given, 'note')} ${given === 1 ? 'was' : 'were'} given` : ''}${nats >= 0 ? `, ${nats.toFixed(2)} nats per drawn note` : ''}.`;
  }

  /** @param {Pick<NoteStep, 'events' | 'time'>} step */
  add({ events, time }) {
    for (const event of events) this.#take(event);
    this.time = time;
    for (const note of this.#open.values()) note.end = time;
    if (!this.#calm) this.paintSoon();
  }

  /** @param {NoteEvent} event */
  #take({ kind, time, voice, pitch, nats, given, position }) {
    if (!given) this.#drawn.nats += nats;
    if (kind === 'wait') return;
    for (const [name, note] of this.#open) {
      if (kind !== 'end' && name !== voice) continue;
      note.end = time;
      this.#open.delete(name);
    }
    if (kind !== 'note') return;
    if (!given) this.#drawn.notes++;
    const note = { voice, pitch, start: time, end: time, nats, given, position };
    this.#open.set(voice, note);
    this.notes.push(note);
  }

  /** Returns the scale in CSS pixels: `x` and `y` map a tick and a pitch to a position, and `row` is the height of one pitch. */
  get scale() {
    const most = this.ended ? this.time : Math.max(this.time, LEAST_BARS * this.#bar);
    const { from = 0, to = Math.max(most, 1) } = this.stretch;
    const [perTick, row] = [this.width / Math.max(1e-6, to - from), this.height / (this.#high - this.#low + 1)];
    return {
      x: (/** @type {number} */ tick) => (tick - from) * perTick,
      y: (/** @type {number} */ pitch) => (this.#high - pitch) * row,
      row,
    };
  }

  /** Paints now, in the current colours. @override */
  paint() {
    this.fit();
    super.paint();
    const { context, width, height } = this;
    const { ink, accent, forced } = this.colours();
    const { x, y, row } = this.scale;
    context.fillStyle = ink;
    for (let pitch = this.#low; pitch <= this.#high; pitch++) {
      context.globalAlpha = BLACK.includes(pitch % 12) ? 0.05 : 0;
      context.fillRect(0, y(pitch), width, row);
    }
    for (let tick = 0, i = 0; x(tick) <= width && i < 4096; tick += this.#ticks, i++) {
      context.globalAlpha = tick % this.#bar === 0 ? 0.22 : 0.07;
      context.fillRect(Math.round(x(tick)), 0, 1, height);
    }
    context.font = this.font(Math.min(this.size * 0.7, Math.max(8, row * 1.6)));
    context.textBaseline = 'middle';
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    for (let pitch = Math.ceil(this.#low / 12) * 12; pitch <= this.#high; pitch += 12) {
      context.globalAlpha = 0.55;
      context.fillText(pitchName(pitch), 2, y(pitch) + row / 2);
    }
    for (const note of this.notes) {
      const [left, right] = [x(note.start), x(note.end)];
      // if the visitor's system forces colours, there is only one ink
      context.fillStyle = note.given || forced ? ink : INKS[this.#voices.indexOf(note.voice) % INKS.length];
      context.globalAlpha = 0.8;
      context.beginPath();
      context.roundRect(
        left + 0.5,
        y(note.pitch) - row * 0.15,
        Math.max(2, right - left - 1),
        Math.max(2, row * 1.3),
        Math.min(3, row / 2),
      );
      if (!note.given || !forced) context.fill();
      context.globalAlpha = 1;
      const stroke = note.given ? (forced ? 1.5 : 0) : STROKE * Math.min(1, note.nats / MOST_NATS);
      if (stroke < 0.5) continue; // a canvas ignores a line width of 0
      context.lineWidth = stroke;
      context.stroke();
    }
    context.globalAlpha = 1;
    if (!this.ended && this.time > 0) {
      context.fillStyle = accent;
      context.fillRect(Math.round(x(this.time)), 0, 1, height);
    }
    this.paintCursor(x, 2);
    this.over?.(this);
  }
}
