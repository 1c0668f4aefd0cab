// SPDX-License-Identifier: MIT
// Lets the model continue a recording from the microphone or a file.
// @ts-check
import { MEDIA, byId, fault, make, deviceRefused, phrase, recorded, takeFiles } from '../../shell/index.js';
import { audio, hear } from './play.js';
import { changeOf, sentenceOf } from './sentence.js';
/** @typedef {ReturnType<typeof import('./play.js').createPlayer>} Player */
/** @typedef {import('../../lib/kinds/sound/sound-run.js').SoundRun} SoundRun */
/** @typedef {import('../../lib/media/waveform.js').Waveform} Waveform */

/** LISTEN_MS: length of a recording from the microphone, in milliseconds. SECONDS: length of the continuation, in seconds. */
const LISTEN_MS = 1000;
const SECONDS = 0.8;
/** A continuation ends after this many seconds of silence. */
const QUIET = 0.25;

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
  player.on(example);
  void example();

  /** @param {Blob} sound */
  async function goOn(sound) {
    stopper?.abort();
    const { model } = player;
    if (!model) return;
    const { signal } = (stopper = new AbortController());
    play.disabled = true;
    said.textContent = phrase`Listening back`;
    try {
      const next = (run = model.complete(sound, { label: label.value || undefined, seconds: SECONDS, signal }));
      const heard = await next.input;
      const shown = (wave = /** @type {Waveform} */ (next.sink(canvas)));
      const played = hear(next, shown, signal);
      played.catch(() => {});
      for await (const step of next) shown.add(step);
      shown.end();
      play.disabled = false;
      said.textContent = `${sentenceOf(shown)} ${heard ? changeOf(heard, next.sampleRate) : ''}${await played}`;
    } catch (error) {
      if (!signal.aborted) said.textContent = `${fault(error)}.`;
    }
  }

  /**
   * Shows an example until the visitor records or opens a sound. In the example, the model continues the first half of the sound above. The
   * example is not played.
   */
  async function example() {
    const { model, run: above } = player;
    if (!model || run || above?.finish !== 'end') return;
    const { signal } = (stopper = new AbortController());
    try {
      const samples = await above.samples();
      const next = (run = model.complete(
        { samples: samples.slice(0, samples.length >> 1), sampleRate: above.sampleRate },
        { label: player.label, speaker: player.speaker, seconds: SECONDS, silence: QUIET, signal },
      ));
      const shown = (wave = /** @type {Waveform} */ (next.sink(canvas)));
      for await (const step of next) shown.add(step);
      shown.end();
      play.disabled = false;
      said.textContent = phrase`The first half of the sound above, continued. ${sentenceOf(shown)}`;
    } catch {
      run = undefined; // if the example fails, the figure waits for the visitor
    }
  }

  record.addEventListener('click', async () => {
    stopper?.abort();
    record.disabled = true;
    void audio().resume(); // browsers allow an audio context to start only while they handle a click
    try {
      await goOn(
        await recorded(LISTEN_MS, () => {
          said.textContent = phrase`Speak now`;
        }),
      );
    } catch (error) {
      said.textContent = deviceRefused('microphone', error);
    } finally {
      record.disabled = !player.model;
    }
  });
  takeFiles(byId('figure-voice'), {
    input: file,
    medium: MEDIA.sound,
    take: (sound) => void goOn(sound),
    say: (sentence) => {
      said.textContent = sentence;
    },
  });
  play.addEventListener('click', async () => {
    stopper?.abort();
    if (!run || !wave) return;
    const { signal } = (stopper = new AbortController());
    const trouble = await hear(run, wave, signal).catch(() => ''); // hear() throws if the visitor stops the playback
    if (trouble) said.textContent = trouble.trim();
  });
}
