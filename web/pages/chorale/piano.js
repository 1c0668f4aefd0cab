// SPDX-License-Identifier: MIT
// Builds a piano keyboard for mouse, touch, computer keys and MIDI. A bar on each key shows how probable this key is as the next note.
// @ts-check
import { make, percent, phrase } from '../../shell/index.js';

/** Computer keys that play the piano keys, starting at C. */
const LETTERS = 'awsedftgyhujkolp;';
const BLACK = [1, 3, 6, 8, 10];
const NAMES = ['C', phrase`C sharp`, 'D', phrase`E flat`, 'E', 'F', phrase`F sharp`, 'G', phrase`A flat`, 'A', phrase`B flat`, 'B'];

/** @param {number} pitch */
export const nameOf = (pitch) => `${NAMES[pitch % 12]} ${Math.floor(pitch / 12) - 1}`;

/**
 * @param {HTMLElement} root
 * @param {{ low: number, high: number, onKey: (pitch: number) => void }} how
 */
export function createPiano(root, { low, high, onKey }) {
  const white = Array.from({ length: high - low + 1 }, (_, i) => low + i).filter((pitch) => !BLACK.includes(pitch % 12));
  /** @type {Map<number, { key: HTMLButtonElement, bar: HTMLElement }>} */
  const keys = new Map();
  root.style.setProperty('--white', String(white.length));
  for (let pitch = low; pitch <= high; pitch++) {
    const black = BLACK.includes(pitch % 12);
    const bar = make('span', { class: 'odds' });
    const key = make(
      'button',
      { type: 'button', class: black ? 'black' : 'white', 'aria-label': nameOf(pitch), tabindex: pitch === low ? '0' : '-1' },
      bar,
      ...(pitch % 12 === 0 ? [make('span', { class: 'octave', 'aria-hidden': 'true' }, nameOf(pitch))] : []),
    );
    const before = white.filter((other) => other < pitch).length;
    key.style.setProperty('--at', String(before));
    key.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || key.disabled) return;
      key.focus();
      press(pitch);
    });
    key.addEventListener('click', ({ detail }) => {
      if (detail === 0) press(pitch);
    }); // clicks from a keyboard or a screen reader have no pointer event
    root.append(key);
    keys.set(pitch, { key, bar });
  }

  /** @param {number} pitch */
  function press(pitch) {
    const there = keys.get(pitch);
    if (!there || there.key.disabled) return;
    there.key.classList.add('down');
    setTimeout(() => there.key.classList.remove('down'), 160);
    onKey(pitch);
  }

  root.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const focused = [...keys].find(([, { key }]) => key === document.activeElement)?.[0];
    const letter = LETTERS.indexOf(event.key.toLowerCase());
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 12, ArrowDown: -12 }[event.key];
    if (letter >= 0) press(low + letter);
    else if (step && focused !== undefined) keys.get(Math.min(high, Math.max(low, focused + step)))?.key.focus();
    else return;
    event.preventDefault();
  });
  root.addEventListener('focusin', ({ target }) => {
    for (const { key } of keys.values()) key.tabIndex = key === target ? 0 : -1;
  });

  return {
    press,
    /** @param {boolean} on */
    enable(on) {
      for (const { key } of keys.values()) key.disabled = !on;
    },
    /** @param {Map<number, number>} odds  probabilities by pitch */
    show(odds) {
      const most = Math.max(1e-9, ...odds.values());
      for (const [pitch, { key, bar }] of keys) {
        const p = odds.get(pitch) ?? 0;
        bar.style.setProperty('--odds', String(Math.sqrt(p / most)));
        key.title = p > 0 ? `${nameOf(pitch)}: ${percent(p)}` : nameOf(pitch);
      }
    },
  };
}

/**
 * Forwards notes from a MIDI keyboard, if the browser has Web MIDI and the visitor allows it.
 *
 * @param {HTMLButtonElement} button
 * @param {(pitch: number) => void} onKey
 * @param {(text: string) => void} say
 */
export function connectMidi(button, onKey, say) {
  const ask = /** @type {any} */ (navigator).requestMIDIAccess;
  button.hidden = button.disabled = typeof ask !== 'function';
  if (button.hidden) return;
  button.addEventListener('click', async () => {
    try {
      const access = await ask.call(navigator);
      const listen = () => {
        for (const input of access.inputs.values()) {
          input.onmidimessage = (/** @type {{ data: Uint8Array }} */ { data: [status, pitch, velocity] }) => {
            if ((status & 0xf0) === 0x90 && velocity > 0) onKey(pitch);
          };
        }
        say(access.inputs.size > 0 ? phrase`Listening to the MIDI keyboard.` : phrase`No MIDI keyboard is connected.`);
      };
      access.onstatechange = listen;
      listen();
    } catch {
      say(phrase`The browser does not allow this page to use the MIDI keyboard. You can change this in the address bar.`);
    }
  });
}
