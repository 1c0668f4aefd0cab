// SPDX-License-Identifier: MIT
// Plays runs and offers them as files. The page has a single audio context, which is created when the visitor first presses a play button.
// @ts-check
import { fault, phrase } from '../../shell/index.js';
/** @typedef {import('../../lib/kinds/note/note-run.js').NoteRun} NoteRun */
/** @typedef {import('../../lib/kinds/note/roll.js').Roll} Roll */

/** @type {AudioContext | undefined} */
let context;
export const audio = () => (context ??= new AudioContext());

/**
 * Plays a run. Returns the error message, or ''.
 * @param {NoteRun} run
 * @param {Roll} roll
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
export async function hear(run, roll, signal) {
  try {
    const { late } = await run.playTo(audio(), {
      signal,
      onPlay: ({ ticks, over }) => {
        roll.cursor = over ? -1 : ticks;
      },
    });
    return late === 0
      ? ''
      : late === 1
        ? phrase` Your device was too slow: 1 note was late.`
        : phrase` Your device was too slow: ${late} notes were late.`;
  } catch (error) {
    if (signal.aborted) throw error;
    return phrase` The sound cannot be played: ${fault(error)}.`;
  } finally {
    roll.cursor = -1;
  }
}

/**
 * Sets the addresses of the links that save a run as a file. The MIDI file is created immediately, the WAV file only when the visitor
 * requests it.
 *
 * @param {{ midi: HTMLAnchorElement, wav: HTMLAnchorElement }} links
 * @param {NoteRun} run
 * @param {string} name
 */
export async function offer({ midi, wav }, run, name) {
  for (const link of [midi, wav]) if (link.href) URL.revokeObjectURL(link.href);
  midi.href = URL.createObjectURL(await run.midi());
  midi.download = `${name}.mid`;
  wav.removeAttribute('href');
  wav.download = `${name}.wav`;
  wav.tabIndex = 0;
  wav.setAttribute('role', 'button');
  wav.onclick = async (event) => {
    if (wav.href) return;
    event.preventDefault();
    wav.href = URL.createObjectURL(await run.wav());
    wav.click();
  };
  wav.onkeydown = ({ key }) => {
    if (key === 'Enter' && !wav.href) wav.click();
  };
  midi.hidden = wav.hidden = false;
}
