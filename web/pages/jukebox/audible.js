// SPDX-License-Identifier: MIT
// Plays the sounds of the page, one at a time. All sounds share one audio context, which is created at the first click.
// @ts-check

/** @type {AudioContext | undefined} */
let context;
export const audio = () => (context ??= new AudioContext());

/** @type {AudioBufferSourceNode | undefined} */
let playing;

/** Stops the current sound. */
export function hush() {
  playing?.stop();
  playing = undefined;
}

/**
 * Stops the current sound and plays samples. Must be called from a click or a key press.
 * @param {Float32Array} samples
 * @param {number} rate
 * @param {(seconds: number) => void} [onPlay] called at each animation frame with the seconds since the start, and called with -1 when the
 *   sound ends
 * @returns {Promise<boolean>} resolves at the end, to true if the whole sound was played
 */
export async function playSamples(samples, rate, onPlay = () => {}) {
  hush();
  const own = audio();
  await own.resume();
  const source = (playing = own.createBufferSource());
  source.buffer = own.createBuffer(1, Math.max(1, samples.length), rate);
  source.buffer.copyToChannel(Float32Array.from(samples), 0);
  source.connect(own.destination);
  const began = own.currentTime;
  source.start();
  const frame = () => {
    if (playing !== source) return;
    onPlay(own.currentTime - began);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return new Promise((resolve) => {
    source.onended = () => {
      const whole = playing === source;
      if (whole) playing = undefined;
      onPlay(-1);
      resolve(whole);
    };
  });
}
