// SPDX-License-Identifier: MIT
// Harmonises the melody of the first figure in another key with the same seed. Sampling adds noise that depends on the note id. This noise
// is not transposed with the melody, so the harmonisation may differ.
// @ts-check
import { byId, fault, phrase } from '../../shell/index.js';
import { endWell } from './ending.js';
import { hear } from './hear.js';
/** @typedef {import('../../lib/kinds/note/note-run.js').NoteRun} NoteRun */
/** @typedef {import('../../lib/kinds/note/roll.js').Roll} Roll */
/** @typedef {ReturnType<typeof import('./answer.js').createAnswer>} Answer */

/** @param {Answer} answer */
export function createKey(answer) {
  const canvas = /** @type {HTMLCanvasElement} */ (byId('key-roll'));
  const key = /** @type {HTMLInputElement} */ (byId('key'));
  const button = /** @type {HTMLButtonElement} */ (byId('key-play'));
  const [keySaid, same] = [byId('key-said'), byId('key-same')];
  /** @type {NoteRun | undefined} */
  let run;
  /** @type {Roll | undefined} */
  let roll;
  /** @type {AbortController | undefined} */
  let stopper;

  async function draw() {
    stopper?.abort();
    const { model, melody, seed, temperature, parallels } = answer;
    if (!model || melody.length === 0) return;
    const [low, high] = model.info.ranges?.[0] ?? [0, 127];
    const pitches = melody.map(({ pitch }) => pitch);
    key.min = String(Math.max(-12, low - Math.min(...pitches)));
    key.max = String(Math.min(12, high - Math.max(...pitches)));
    key.disabled = button.disabled = false;
    const shift = Number(key.value);
    keySaid.textContent = shift === 0 ? phrase`as above` : shift > 0 ? phrase`${shift} up` : phrase`${-shift} down`;
    const { signal } = (stopper = new AbortController());
    try {
      const before = await answer.run?.notes();
      const from = model.complete(
        melody.map((note) => ({ ...note, pitch: note.pitch + shift })),
        { voices: ['soprano'], seed, temperature, parallels, signal },
      );
      await from.notes({ signal });
      run = await endWell(model, from, seed, { signal });
      roll = /** @type {Roll} */ (run.sink(canvas));
      for await (const step of run) roll.add(step);
      roll.end();
      const notes = (await run.notes()).filter(({ voice }) => voice !== 'soprano');
      const there = new Set(before?.map(({ start, length, pitch, voice }) => `${voice} ${start} ${length} ${pitch + shift}`));
      const kept = notes.filter(({ start, length, pitch, voice }) => there.has(`${voice} ${start} ${length} ${pitch}`)).length;
      same.textContent = phrase`${kept} of ${notes.length} notes of the three voices are the same as in the first figure, apart from the key.`;
    } catch (error) {
      if (!signal.aborted) same.textContent = `${fault(error)}.`;
    }
  }

  key.addEventListener('input', draw);
  button.addEventListener('click', async () => {
    stopper?.abort();
    if (!run || !roll) return;
    const { signal } = (stopper = new AbortController());
    const trouble = await hear(run, roll, signal).catch(() => ''); // hear() throws if the visitor stops the playback
    if (trouble) same.textContent = trouble.trim();
  });
  answer.on(draw);
  void draw();
}
