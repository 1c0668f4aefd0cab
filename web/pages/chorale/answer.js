// SPDX-License-Identifier: MIT
// Draws the first figure. The visitor plays a melody on the keyboard, and the model composes three voices for it.
// @ts-check
import {
  MEDIA,
  acquireFirst,
  announce,
  byId,
  createLoading,
  createTransport,
  fault,
  keepInAddress,
  part,
  phrase,
  takeFiles,
} from '../../shell/index.js';
import { endWell } from './ending.js';
import { audio, hear, offer } from './hear.js';
import { connectMidi, createPiano, nameOf } from './piano.js';
import { sentenceOf } from './sentence.js';
/** @import { Model } from '../../shell/index.js' */
/** @typedef {import('../../lib/kinds/note/note-run.js').NoteRun} NoteRun */
/** @typedef {import('../../lib/kinds/note/roll.js').Roll} Roll */
/** @typedef {import('../../lib/kinds/note/codec.js').Note} Note */
/** @typedef {{ start: number, length: number, pitch: number }} Sung */

const SEED = 3;
const TEMPERATURE = 0.8;
/**
 * If no key is pressed for this many milliseconds, the melody counts as complete. The last bar is then sampled again until the end token is
 * probable after it (ending.js).
 */
const WHOLE = 1500;
/** The initial melody: pitches, and durations in ticks. */
const OWN = [
  [67, 4],
  [71, 4],
  [74, 4],
  [72, 4],
  [71, 4],
  [69, 4],
  [67, 8],
  [69, 4],
  [71, 4],
  [72, 4],
  [69, 4],
  [74, 2],
  [72, 2],
  [71, 4],
  [69, 8],
  [67, 8],
];
/** Maximum number of notes in a melody that is stored in a link. */
const MOST = 128;

/** @param {number[][]} tune @returns {Sung[]} */
function sung(tune) {
  let start = 0;
  return tune.map(([pitch, length]) => ({ start: (start += length) - length, length, pitch }));
}

export function createAnswer() {
  const canvas = /** @type {HTMLCanvasElement} */ (byId('answer-roll'));
  const length = /** @type {HTMLSelectElement} */ (byId('length'));
  const file = /** @type {HTMLInputElement} */ (byId('midi-file'));
  const strict = /** @type {HTMLInputElement} */ (byId('answer-strict'));
  const [back, clear, said] = [
    /** @type {HTMLButtonElement} */ (byId('back')),
    /** @type {HTMLButtonElement} */ (byId('clear')),
    byId('answer-said'),
  ];
  const links = {
    midi: /** @type {HTMLAnchorElement} */ (byId('answer-midi')),
    wav: /** @type {HTMLAnchorElement} */ (byId('answer-wav')),
  };
  /** @type {Model | undefined} */
  let model;
  /** @type {NoteRun | undefined} */
  let run;
  /** @type {Roll | undefined} */
  let roll;
  /** @type {AbortController | undefined} */
  let stopper;
  /** The timer that completes the melody. It runs while the visitor plays. @type {ReturnType<typeof setTimeout> | undefined} */
  let growing;
  let melody = sung(OWN);
  let range = [60, 81];
  /** @type {Set<() => void>} */
  const listeners = new Set();

  const transport = createTransport(byId('answer-transport'), {
    name: 'answer',
    seed: SEED,
    onSeed: () => {
      answer();
      kept.changed();
    },
    pace: true,
    onRun: () => play(),
    onStop: () => {
      stopper?.abort();
      transport.show('done');
    },
  });
  const piano = createPiano(byId('piano'), { low: 60, high: 81, onKey: sing });
  piano.enable(false);
  connectMidi(
    /** @type {HTMLButtonElement} */ (byId('midi-in')),
    (pitch) =>
      pitch >= range[0] && pitch <= range[1]
        ? piano.press(pitch)
        : void (said.textContent = phrase`The soprano sings ${nameOf(range[0])} to ${nameOf(range[1])}.`),
    (text) => {
      said.textContent = text;
    },
  );
  const kept = keepInAddress('figure-answer', {
    settings: () =>
      melody.length <= MOST
        ? {
            seed: transport.seed,
            tune: melody.map(({ pitch, length: ticks }) => `${pitch}.${ticks}`).join('-'),
            ...(strict.checked ? {} : { parallels: 1 }),
          }
        : null,
    apply(settings) {
      if (!model) return false;
      const seed = Number(settings.get('seed') ?? SEED);
      if (Number.isSafeInteger(seed) && seed >= 0) transport.seed = seed;
      strict.checked = !settings.has('parallels');
      const tune = (settings.get('tune') ?? '').split('-').map((note) => note.split('.').map(Number));
      if (
        tune.length <= MOST &&
        tune.every(
          ([pitch, ticks]) =>
            pitch >= range[0] && pitch <= range[1] && Number.isInteger(pitch) && ticks >= 1 && ticks <= 64 && Number.isInteger(ticks),
        )
      )
        melody = sung(tune);
      answer();
      return true;
    },
  });
  const loading = createLoading(byId('answer-load'), {
    acquire: async (options) => [await acquireFirst(options)],
    onModels([loaded]) {
      model = loaded;
      range = model.info.ranges?.[0] ?? range;
      file.disabled = false;
      piano.enable(true);
      transport.show('ready');
      answer();
      kept.proceed();
      for (const tell of listeners) tell();
    },
    onLost() {
      model = undefined;
      file.disabled = true;
      piano.enable(false);
      transport.show('empty');
    },
  });

  /** Adds the note of a pressed key to the melody. @param {number} pitch */
  function sing(pitch) {
    if (!model) return;
    const last = melody[melody.length - 1];
    const note = { start: last ? last.start + last.length : 0, length: Number(length.value), pitch };
    melody = [...melody, note];
    void ring(pitch, note);
    kept.changed(true);
  }

  /** Plays the note of the key together with the voices composed for it. @param {number} pitch @param {Sung} note */
  async function ring(pitch, note) {
    const { sound } = await part(() => import('../../lib/kinds/note/notes.js'));
    const context = audio();
    void context.resume().catch(() => {});
    const second = 60 / (84 * 4);
    sound(context, context.destination, pitch, context.currentTime)(context.currentTime + note.length * second);
    const notes = await answer(true);
    const begin = context.currentTime;
    for (const { start, length: ticks, pitch: other, voice } of notes ?? []) {
      const end = Math.min(start + ticks, note.start + note.length);
      if (voice === 'soprano' || end <= note.start) continue;
      sound(context, context.destination, other, begin + Math.max(0, start - note.start) * second)(begin + (end - note.start) * second);
    }
  }

  /**
   * Composes the voices for the melody.
   *
   * @param {boolean} [grows]  whether the visitor may still add notes
   * @returns {Promise<Note[] | undefined>}
   */
  async function answer(grows = false) {
    stopper?.abort();
    clearTimeout(growing);
    if (grows) growing = setTimeout(() => void answer(), WHOLE);
    back.disabled = clear.disabled = melody.length === 0;
    if (!model) return undefined;
    const { signal } = (stopper = new AbortController());
    loading.clear();
    transport.show('running');
    links.midi.hidden = links.wav.hidden = true;
    const began = performance.now();
    try {
      const from =
        melody.length > 0
          ? model.complete(melody, {
              voices: ['soprano'],
              seed: transport.seed,
              temperature: TEMPERATURE,
              parallels: !strict.checked,
              probabilities: true,
              signal,
            })
          : undefined;
      if (!from) {
        roll?.close();
        said.textContent = phrase`Press a key.`;
        transport.show('ready');
        return undefined;
      }
      run = from;
      let shown = (roll = /** @type {Roll} */ (from.sink(canvas)));
      /** @type {Float32Array | undefined} */
      let odds;
      let ids = 0;
      for await (const step of from) {
        shown.add(step);
        ids = step.to;
        odds = step.probabilities?.slice(-(model.info.notes?.length ?? 0)) ?? odds;
      }
      shown.end();
      const whole = grows ? from : await endWell(model, from, transport.seed, { signal });
      if (whole !== from) {
        run = whole;
        shown = roll = /** @type {Roll} */ (whole.sink(canvas));
        for await (const step of whole) shown.add(step);
        shown.end();
      }
      const took = performance.now() - began;
      if (odds) showOdds(odds);
      const notes = await whole.notes();
      byId('answer-result').textContent = notes
        .map(({ start, length: ticks, pitch, voice }) => `${voice[0]}${start}+${ticks}:${pitch}`)
        .join(' ');
      said.textContent = sentenceOf(shown);
      transport.say(phrase`${ids} ids in ${(took / 1000).toFixed(2)} s`);
      await offer(links, whole, `chorale-${transport.seed}`);
      if (signal.aborted) return undefined;
      transport.show('done');
      announce(sentenceOf(shown));
      for (const tell of listeners) tell();
      return notes;
    } catch (error) {
      if (signal.aborted) return undefined;
      transport.show('ready');
      loading.failed(error);
      return undefined;
    }
  }

  /**
   * Shows, on each key of the soprano's range, the probability that this key is the next note.
   * @param {Float32Array} odds  probabilities by id
   */
  function showOdds(odds) {
    /** @type {Map<number, number>} */
    const found = new Map();
    let sum = 0;
    for (const [id, { voice, pitch }] of (model?.info.notes ?? []).entries()) {
      if (voice !== 0 || pitch === 0) continue;
      found.set(pitch, odds[id]);
      sum += odds[id];
    }
    piano.show(new Map([...found].map(([pitch, p]) => [pitch, p / (sum || 1)])));
  }

  /** Plays the voices and the melody. */
  async function play() {
    stopper?.abort();
    clearTimeout(growing);
    if (!run || !roll) return;
    const { signal } = (stopper = new AbortController());
    transport.show('running');
    try {
      const how = await hear(run, roll, signal);
      said.textContent = `${sentenceOf(roll)}${how}`;
      transport.show('done');
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** @param {Sung[]} next */
  function change(next) {
    melody = next;
    void answer();
    kept.changed();
  }
  back.addEventListener('click', () => change(melody.slice(0, -1)));
  clear.addEventListener('click', () => change([]));
  strict.addEventListener('change', () => change(melody));
  let latest = 0;
  /** Replaces the melody with the melody in a file. If several calls overlap, only the last call has an effect. @param {File} chosen */
  async function open(chosen) {
    const mine = ++latest;
    try {
      const given = await model?.complete(chosen, { voices: ['soprano'] }).input;
      if (mine !== latest || !given) return;
      const { notes } = given;
      change(notes.map(({ start, length: ticks, pitch }) => ({ start: start - notes[0].start, length: ticks, pitch })));
      if (given.said) announce(given.said);
    } catch (error) {
      if (mine === latest) said.textContent = `${fault(error)}.`;
    }
  }
  takeFiles(byId('figure-answer'), {
    input: file,
    medium: MEDIA.music,
    take: (chosen) => void open(chosen),
    say: (sentence) => {
      said.textContent = sentence;
    },
  });

  return {
    loaded: loading.load(),
    get model() {
      return model;
    },
    get melody() {
      return melody;
    },
    get seed() {
      return transport.seed;
    },
    get run() {
      return run;
    },
    temperature: TEMPERATURE,
    get parallels() {
      return !strict.checked;
    },
    /** Registers a function that is called after a model has loaded and each time the voices are complete. @param {() => void} tell */
    on(tell) {
      listeners.add(tell);
    },
  };
}
