// SPDX-License-Identifier: MIT
// A voice, from the microphone or a file, that the model goes on with.
// @ts-check
import { byId, make } from '../../shell/index.js';
import { audio, hear } from './play.js';
/** @typedef {ReturnType<typeof import('./play.js').createPlayer>} Player */
/** @typedef {import('../../lib/kinds/sound/sound-run.js').SoundRun} SoundRun */
/** @typedef {import('../../lib/kinds/sound/waveform.js').Waveform} Waveform */

/** How long is listened to, and gone on, in seconds. */
const LISTEN_MS = 1000;
const SECONDS = 0.8;

/** What may be wrong with a microphone, by the name of the error. @type {Record<string, string>} */
const REFUSED = {
  NotAllowedError: 'The microphone may not be used: allow it in the address bar of the browser, or choose a file.',
  NotFoundError: 'There is no microphone: choose a file.',
  NotReadableError: 'The microphone is in use elsewhere: end that, or choose a file.',
};

/** @param {Player} player */
export function createVoice(player) {
  const [record, play] = [/** @type {HTMLButtonElement} */ (byId('record')), /** @type {HTMLButtonElement} */ (byId('voice-play'))];
  /** @type {HTMLInputElement} */
  const file = byId('sound-file');
  /** @type {HTMLSelectElement} */
  const label = byId('voice-label');
  /** @type {HTMLCanvasElement} */
  const canvas = byId('voice-wave');
  const said = byId('voice-said');
  /** @type {SoundRun | undefined} */
  let run;
  /** @type {Waveform | undefined} */
  let wave;
  /** @type {AbortController | undefined} */
  let stopper;

  const ready = () => {
    record.disabled = file.disabled = !player.model;
    const classes = player.model?.info.classes ?? [];
    if (label.options.length === 1) label.append(...classes.map((name) => make('option', { value: name }, name)));
  };
  player.on(ready);
  ready();

  /** @param {Blob} sound */
  async function goOn(sound) {
    stopper?.abort();
    const { model } = player;
    if (!model) return;
    const { signal } = (stopper = new AbortController());
    play.disabled = true;
    said.textContent = 'Listening back';
    try {
      const next = run = model.complete(sound, { label: label.value || undefined, seconds: SECONDS, signal });
      const heard = await next.heard;
      const shown = wave = /** @type {Waveform} */ (next.sink(canvas));
      const played = hear(next, shown, signal);
      played.catch(() => {});
      for await (const step of next) shown.add(step);
      shown.end();
      play.disabled = false;
      said.textContent = `${shown.result} ${heard?.said ?? ''}${await played}`;
    } catch (error) {
      if (!signal.aborted) said.textContent = `${/** @type {Error} */ (error).message}.`;
    }
  }

  record.addEventListener('click', async () => {
    stopper?.abort();
    record.disabled = true;
    void audio().resume(); // while the click still counts
    try {
      await goOn(await recorded());
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      said.textContent = REFUSED[name] ?? `The microphone gave nothing: ${message || name}. Choose a file.`;
    } finally {
      record.disabled = !player.model;
    }
  });
  /** Listens for a second. The microphone is let go whatever happens. */
  async function recorded() {
    if (!navigator.mediaDevices?.getUserMedia) throw Object.assign(new Error(), { name: 'NotFoundError' });
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    try {
      const recorder = new MediaRecorder(stream);
      /** @type {Blob[]} */
      const parts = [];
      recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
      const stopped = new Promise((resolve, reject) => {
        recorder.addEventListener('stop', resolve);
        recorder.addEventListener('error', (event) => reject(/** @type {any} */ (event).error ?? new Error('the recording broke off')));
      });
      recorder.start();
      said.textContent = 'Speak now';
      const timer = setTimeout(() => recorder.state !== 'inactive' && recorder.stop(), LISTEN_MS);
      await stopped.finally(() => clearTimeout(timer));
      return new Blob(parts, { type: recorder.mimeType });
    } finally {
      for (const track of stream.getTracks()) track.stop();
    }
  }
  file.addEventListener('change', () => {
    const [sound] = file.files ?? [];
    file.value = '';
    if (sound) goOn(sound);
  });
  play.addEventListener('click', async () => {
    stopper?.abort();
    if (!run || !wave) return;
    const { signal } = (stopper = new AbortController());
    await hear(run, wave, signal).catch(() => {});
  });
}
