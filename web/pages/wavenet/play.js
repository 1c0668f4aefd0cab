// SPDX-License-Identifier: MIT
// Draws the first figure. The model generates a digit in one of the voices, and the page plays it. The waveform can be zoomed from seconds
// to single samples.
// @ts-check
import { acquireFirst, announce, byId, createLoading, createTransport, fault, make, phrase } from '../../shell/index.js';
import { APART, TRIES, defectOf } from './defect.js';
import { sentenceOf } from './sentence.js';
/** @import { ModelOf } from '../../shell/index.js' */
/** @typedef {import('../../lib/kinds/sound/sound-run.js').SoundRun} SoundRun */
/** @typedef {import('../../lib/media/waveform.js').Waveform} Waveform */

/** Maximum length of a sound, in seconds. */
const SECONDS = 1.2;
/** The page stops a sound after this many seconds of silence, in case the model does not end the sound. */
const QUIET = 0.25;
/** Length of the shortest visible range, in seconds. */
const CLOSEST = 0.006;
const SEED = 10;
/** The reasons for generating a sound again. */
const DEFECTS = { short: phrase`too short`, quiet: phrase`too quiet`, endless: phrase`without an end` };

/** @type {AudioContext | undefined} */
let context;
/** Returns the page's only audio context, which is created at the first click. */
export const audio = () => (context ??= new AudioContext());

/**
 * Plays the sound of a run.
 * @param {SoundRun} run
 * @param {Waveform} wave
 * @param {AbortSignal} signal
 * @returns {Promise<string>} '' if playback succeeded, otherwise the error message
 */
export async function hear(run, wave, signal) {
  try {
    const { gaps } = await run.playTo(audio(), {
      signal,
      onPlay: ({ seconds, over }) => {
        wave.cursor = over ? -1 : seconds;
      },
    });
    return gaps === 0
      ? ''
      : gaps === 1
        ? phrase` Your device was too slow to play without interruption: 1 gap.`
        : phrase` Your device was too slow to play without interruption: ${gaps} gaps.`;
  } catch (error) {
    if (signal.aborted) throw error;
    return phrase` The sound cannot be played: ${fault(error)}.`;
  } finally {
    wave.cursor = -1;
  }
}

export function createPlayer() {
  /** @type {HTMLCanvasElement} */
  const canvas = byId('wave');
  /** @type {HTMLSelectElement} */
  const speaker = byId('speaker');
  /** @type {HTMLInputElement} */
  const zoom = byId('zoom');
  /** @type {HTMLAnchorElement} */
  const file = byId('file');
  const [digits, said, zoomSaid] = [byId('digit'), byId('said'), byId('zoom-said')];
  /** @type {ModelOf<'sound'> | undefined} */
  let model;
  /** @type {SoundRun | undefined} */
  let run;
  /** @type {Waveform | undefined} */
  let wave;
  /** @type {AbortController | undefined} */
  let stopper;
  let seconds = 0;
  let middle = 0.5;
  /** @type {Set<() => void>} */
  const listeners = new Set();

  const transport = createTransport(byId('transport'), {
    name: '',
    seed: SEED,
    onSeed: () => start(true),
    pace: true,
    onRun: () => (run?.finish === 'end' || run?.finish === 'length' ? again() : start(true)),
    onStop: () => stop(),
  });
  const loading = createLoading(byId('load'), {
    acquire: async (options) => [await acquireFirst(options)],
    onModels([loaded]) {
      model = /** @type {ModelOf<'sound'>} */ (/** @type {unknown} */ (loaded));
      const { classes, speakers, dilations, sampleRate: rate } = model.info;
      const [before, voice] = [chosen() ?? '7', speaker.value];
      digits.replaceChildren(
        ...[...digits.children].slice(0, 1),
        ...classes.map((name) => {
          const input = make('input', { type: 'radio', name: 'digit', value: name });
          input.checked = name === before;
          return make('label', {}, input, make('span', {}, name));
        }),
      );
      speaker.replaceChildren(
        ...speakers.map((name) => make('option', { value: name }, name)),
        make('option', { value: '' }, phrase`any voice`),
      );
      if (speakers.includes(voice)) speaker.value = voice;
      speaker.disabled = zoom.disabled = false;
      const field = (2 + dilations.reduce((sum, d) => sum + d, 0)) / rate;
      byId('own-field').textContent = phrase`This network sees ${Math.round(1000 * field)} ms of the past with ${dilations.length} layers.`;
      byId('voice-field').textContent = String(Math.round(1000 * field));
      transport.show('ready');
      for (const tell of listeners) tell();
      start(false);
    },
    onLost() {
      model = undefined;
      speaker.disabled = zoom.disabled = true;
      transport.show('empty');
    },
  });
  digits.addEventListener('change', () => start(true));
  speaker.addEventListener('change', () => start(true));
  const chosen = () => /** @type {HTMLInputElement | null} */ (digits.querySelector('input:checked'))?.value;

  function stop() {
    stopper?.abort();
    transport.show(model ? 'ready' : 'empty');
  }

  /** Generates a new sound. Tries again if the sound is too short, is too quiet, or does not end. @param {boolean} aloud */
  async function start(aloud) {
    stopper?.abort();
    if (!model) return;
    const { signal } = (stopper = new AbortController());
    loading.clear();
    transport.show('running');
    file.hidden = true;
    said.textContent = phrase`Drawing`;
    const began = performance.now();
    const label = chosen();
    /** @type {(keyof typeof DEFECTS)[]} */
    const wrong = [];
    try {
      for (;;) {
        const seed = transport.seed + wrong.length * APART;
        const drawing = (run = model.generate({
          label,
          speaker: speaker.value || undefined,
          seconds: SECONDS,
          silence: QUIET,
          seed,
          signal,
        }));
        const shown = (wave = /** @type {Waveform} */ (drawing.sink(canvas)));
        /** @type {number[]} */
        const levels = [];
        for await (const step of drawing) {
          shown.add(step);
          levels.push(...step.levels);
        }
        shown.end();
        seconds = levels.length / drawing.sampleRate;
        const defect = defectOf(await drawing.samples(), { rate: drawing.sampleRate, ended: drawing.finish === 'end' });
        if (defect) wrong.push(defect);
        byId('result').textContent = levels.join(' ');
        if (!defect || wrong.length === TRIES) break;
      }
      const took = (performance.now() - began) / 1000;
      middle = seconds / 2;
      look();
      transport.say(
        phrase`${seconds.toFixed(2)} s of sound generated in ${took.toFixed(2)} s: ${(seconds / took).toFixed(1)} times real time`,
      );
      for (const tell of listeners) tell();
      const [drawing, shown] = [/** @type {SoundRun} */ (run), /** @type {Waveform} */ (wave)];
      const before = wrong
        .slice(0, TRIES - 1)
        .map((defect) => DEFECTS[defect])
        .join(', ');
      const again = `${before && phrase` Drawn again, because it was ${before}.`}${drawing.finish === 'length' ? phrase` The sound did not end.` : ''}`;
      said.textContent = `${sentenceOf(shown)}${again}`;
      const how = aloud ? await hear(drawing, shown, signal) : '';
      said.textContent = `${sentenceOf(shown)}${again}${how}`;
      if (signal.aborted) return;
      if (file.href) URL.revokeObjectURL(file.href);
      file.href = URL.createObjectURL(await drawing.wav());
      file.download = `${label ?? 'sound'}-${transport.seed}.wav`;
      file.hidden = false;
      transport.show('done');
      announce(said.textContent ?? '');
    } catch (error) {
      if (signal.aborted) return;
      transport.show('ready');
      said.textContent = '';
      loading.failed(error);
    }
  }

  /** Plays the current sound again. */
  async function again() {
    stopper?.abort();
    if (!run || !wave) return;
    const { signal } = (stopper = new AbortController());
    transport.show('running');
    try {
      const how = await hear(run, wave, signal);
      said.textContent = `${sentenceOf(wave)}${how}`;
      transport.show('done');
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Shows the range that the zoom and position sliders select. */
  function look() {
    if (!wave || seconds === 0) return;
    const share = Number(zoom.value) / 100;
    const length = seconds * (Math.min(CLOSEST, seconds) / seconds) ** share;
    const from = Math.min(Math.max(0, middle - length / 2), seconds - length);
    wave.show(share === 0 ? undefined : from, share === 0 ? undefined : from + length);
    zoomSaid.textContent =
      share === 0
        ? phrase`the whole sound`
        : phrase`${length < 0.1 ? phrase`${(1000 * length).toFixed(0)} ms` : phrase`${length.toFixed(2)} s`} from ${from.toFixed(3)} s, ${Math.round(length * (run?.sampleRate ?? 0))} samples`;
  }
  zoom.addEventListener('input', look);
  canvas.tabIndex = 0;
  canvas.addEventListener('pointerdown', ({ offsetX }) => {
    if (Number(zoom.value) === 0) middle = (seconds * offsetX) / canvas.clientWidth;
    look();
  });
  canvas.addEventListener('pointermove', ({ offsetX, buttons }) => {
    if (Number(zoom.value) === 0 || buttons === 1) middle = seconds * Math.min(1, Math.max(0, offsetX / canvas.clientWidth));
    if (buttons === 1) look();
  });
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    middle = Math.min(seconds, Math.max(0, middle + step * seconds));
    look();
  });

  return {
    loaded: loading.load(),
    get model() {
      return model;
    },
    get run() {
      return run;
    },
    get label() {
      return chosen();
    },
    get speaker() {
      return speaker.value || undefined;
    },
    get seed() {
      return transport.seed;
    },
    /** Registers a function that is called each time a model has loaded or a sound is complete. @param {() => void} tell */
    on(tell) {
      listeners.add(tell);
    },
  };
}
