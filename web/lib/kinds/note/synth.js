// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A small synthesiser: each note consists of three harmonics that swell and fade, and passes through a low-pass filter. The synthesiser
 * uses no recorded sounds.
 */

import { audible, moments } from '../../base/audio.js';
import { NextPixelError } from '../../base/error.js';

/** @import { NoteEvent } from './codec.js' */

/** Loudness of the harmonics 1, 2 and 3. */
const HARMONICS = [1, 0.35, 0.12];
/** Attack and release of a note, in seconds. */
const ATTACK = 0.03;
const RELEASE = 0.12;
/** Loudness of a voice, low enough for four voices to sound together. */
const LOUDNESS = 0.13;
/** Notes are scheduled up to AHEAD seconds before they sound. Playback starts after LEAD seconds. */
const AHEAD = 2;
const LEAD = 0.12;
const TELL_MS = 25;

/**
 * The progress of playback.
 *
 * @typedef {object} NotesPlayed
 * @property {number} seconds  seconds played so far
 * @property {number} ticks    ticks played so far
 * @property {number} late     number of notes that were drawn too late to be played on time, because the machine was too slow
 * @property {boolean} over    whether the whole music has been played
 */

/**
 * @typedef {object} NotePlayOptions
 * @property {AbortSignal} [signal]  stops the sound
 * @property {any} [destination]     the AudioNode to play to; by default the context's destination
 * @property {(played: NotesPlayed) => void} [onPlay]  called about forty times per second
 */

/** Returns the frequency of a MIDI note number in hertz. @param {number} pitch */
const hertz = (pitch) => 440 * 2 ** ((pitch - 69) / 12);

/**
 * Starts a note at a given time on the context's clock.
 *
 * @param {any} context
 * @param {any} destination
 * @param {number} pitch
 * @param {number} when
 * @returns {(when: number) => void} sets the time at which the note ends
 */
export function sound(context, destination, pitch, when) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(0, when);
  gain.gain.linearRampToValueAtTime(LOUDNESS, when + ATTACK);
  gain.connect(destination);
  const sources = HARMONICS.map((loudness, i) => {
    const [source, part] = [context.createOscillator(), context.createGain()];
    source.frequency.value = hertz(pitch) * (i + 1);
    part.gain.value = loudness;
    source.connect(part).connect(gain);
    source.start(when);
    return source;
  });
  return (end) => {
    gain.gain.setTargetAtTime(0, end, RELEASE / 4);
    for (const source of sources) source.stop(end + 2 * RELEASE);
    sources[0].onended = () => gain.disconnect();
  };
}

/**
 * Returns functions that play music: `set` plays an event, and `endAll` ends all notes.
 *
 * @param {any} context
 * @param {any} destination
 * @param {(tick: number) => number} timeOf  returns the context's time at a tick
 */
function performer(context, destination, timeOf) {
  /** For each voice, the function that ends its current note. @type {Map<string, (when: number) => void>} */
  const open = new Map();
  const endAll = (/** @type {number} */ when) => {
    for (const end of open.values()) end(when);
    open.clear();
  };
  return {
    /** @param {NoteEvent} event */
    set({ kind, time, voice, pitch }) {
      const when = Math.max(timeOf(time), context.currentTime);
      if (kind === 'end') return endAll(when);
      if (kind === 'wait') return;
      open.get(voice)?.(when);
      open.delete(voice);
      if (kind === 'note') open.set(voice, sound(context, destination, pitch, when));
    },
    endAll,
  };
}

/** @param {any} context @param {any} destination */
function lowPass(context, destination) {
  const filter = context.createBiquadFilter();
  filter.type = 'lowpass';
  filter.frequency.value = 2600;
  filter.connect(destination);
  return filter;
}

/**
 * @param {AsyncIterable<{ events: NoteEvent[], time: number }>} steps
 * @param {any} context   an AudioContext
 * @param {number} perTick  seconds per tick
 * @param {NotePlayOptions} options
 * @param {(rest: (resting: boolean) => void) => void} [onStart]  receives a function that pauses and resumes this music, while other sounds
 * of the context continue
 * @returns {Promise<NotesPlayed>} resolves when everything has been played, with the final state of the playback
 */
export async function play(steps, context, perTick, options, onStart = () => {}) {
  await audible(context, options);
  const stage = () => {
    const out = context.createGain();
    out.connect(options.destination ?? context.destination);
    return { out, ...performer(context, lowPass(context, out), (tick) => begin + tick * perTick) };
  };
  /** Silences the music, including notes that are scheduled for later. */
  const silence = () => {
    const { out } = now;
    out.gain.setTargetAtTime(0, context.currentTime, 0.02);
    setTimeout(() => out.disconnect(), 200);
  };
  let begin = context.currentTime + LEAD;
  let now = stage();
  /** All events so far. They are needed to resume the music after a pause. @type {NoteEvent[]} */
  const all = [];
  /** Number of seconds played before the pause; undefined without a pause. @type {number | undefined} */
  let rested;
  let [last, late, over] = [0, 0, false];
  const progress = (done = false) => {
    const seconds = Math.max(0, Math.min(rested ?? context.currentTime - begin, last * perTick));
    return { seconds, ticks: seconds / perTick, late, over: done };
  };
  /** Returns whether a tick is played within this number of seconds from now. @param {number} tick @param {number} seconds */
  const reaches = (tick, seconds) => rested === undefined && begin + tick * perTick < context.currentTime + seconds;
  const { tell, until, last: told, end } = /** @type {ReturnType<typeof moments<NotesPlayed>>} */ (moments(context, options));
  onStart((resting) => {
    if (over || resting === (rested !== undefined)) return;
    if (resting) {
      rested = Math.max(0, context.currentTime - begin);
      return silence();
    }
    begin = context.currentTime + LEAD - /** @type {number} */ (rested);
    const from = /** @type {number} */ (rested) / perTick;
    rested = undefined;
    now = stage();
    for (const event of stillToHear(all, from)) now.set(event);
    if (complete) now.endAll(begin + last * perTick);
  });
  let complete = false;
  const timer = setInterval(() => !over && tell(progress()), TELL_MS);
  try {
    for await (const { events, time } of steps) {
      for (const event of events) {
        all.push(event);
        if (rested !== undefined) continue;
        if (event.kind === 'note' && reaches(event.time, 0)) late++;
        now.set(event);
      }
      last = time;
      await until(() => reaches(last, AHEAD));
    }
    complete = true;
    if (rested === undefined) now.endAll(begin + last * perTick);
    await until(() => reaches(last, -RELEASE));
    over = true;
    const how = progress(true);
    tell(how);
    await told();
    return how;
  } finally {
    clearInterval(timer);
    end();
    over = true;
    silence();
  }
}

/**
 * Returns the events from a given tick onwards. The notes that are still sounding at this tick come first.
 *
 * @param {NoteEvent[]} events
 * @param {number} from  the tick
 */
function stillToHear(events, from) {
  /** The sounding note of each voice. @type {Map<string, NoteEvent>} */
  const open = new Map();
  const first = events.findIndex(({ time }) => time >= from);
  for (const event of events.slice(0, first < 0 ? events.length : first)) {
    if (event.kind === 'note') open.set(event.voice, event);
    else if (event.kind === 'off') open.delete(event.voice);
  }
  return [...[...open.values()].map((event) => ({ ...event, time: from })), ...(first < 0 ? [] : events.slice(first))];
}

/**
 * Renders the whole piece in one pass.
 *
 * @param {NoteEvent[]} events
 * @param {number} ticks    total ticks
 * @param {number} perTick  seconds per tick
 * @param {number} rate     samples per second
 * @returns {Promise<Float32Array>}
 */
export async function render(events, ticks, perTick, rate) {
  if (typeof OfflineAudioContext !== 'function')
    throw new NextPixelError('unsupported', 'Web Audio is not available here, so there are no samples: use midi()');
  const context = new OfflineAudioContext(1, Math.ceil((ticks * perTick + 4 * RELEASE) * rate), rate);
  const { set, endAll } = performer(context, lowPass(context, context.destination), (tick) => tick * perTick);
  events.forEach(set);
  endAll(ticks * perTick);
  return (await context.startRendering()).getChannelData(0);
}
