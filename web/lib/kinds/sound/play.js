// SPDX-License-Identifier: MIT
// @ts-check

/** Plays samples while they come: by an AudioWorklet (player.js), or, where a page's policy or a single file leaves no way to one, by buffers set end to end. */

import { NextPixelError, argumentError } from '../../base/error.js';
import { playerAddress } from '../../files.js';
import { Resampler } from './resample.js';

/** @import { Dom } from '../../base/dom.js' */

/**
 * The progress.
 *
 * @typedef {object} Played
 * @property {number} seconds  that were played
 * @property {number} ahead    seconds that are there and not yet played
 * @property {number} gaps     how often the machine did not keep up, so that there was silence where sound should have been
 * @property {boolean} over    all is played
 */

/**
 * @typedef {object} PlayOptions
 * @property {AbortSignal} [signal]  stops the sound
 * @property {Dom<'AudioNode'>} [destination]  where it goes, by default the context's
 * @property {(played: Played) => void} [onPlay]  called some fifty times a second
 */

/** This much waits before it begins, and how far the run is ahead of what is heard, in seconds. */
const ENOUGH = 0.1;
const AHEAD = 0.6;
/** The time that a browser is given to start a context that it had suspended. */
const START_MS = 1000;
/** Buffers set end to end: told every so many milliseconds. */
const TELL_MS = 25;

/** Contexts that know the player. @type {WeakMap<object, Promise<boolean>>} */
const known = new WeakMap();

/** @typedef {{ push: (samples: Float32Array<ArrayBuffer>) => void, end: () => void, stop: () => void }} Player */

/**
 * @param {AsyncIterable<{ samples: Float32Array }>} steps
 * @param {number} rate
 * @param {any} context  an AudioContext
 * @param {PlayOptions} options
 * @param {() => boolean} [drawn]  whether all of it is there: then nothing is waited for
 * @returns {Promise<Played>} how it was, once all is played
 */
export async function play(steps, rate, context, { signal, destination, onPlay }, drawn = () => false) {
  if (typeof context?.createGain !== 'function' || typeof context.sampleRate !== 'number') throw argumentError('playTo() needs an AudioContext');
  signal?.throwIfAborted();
  await started(context);
  const resampler = new Resampler(rate, context.sampleRate);
  /** @type {Played} */
  let now = { seconds: 0, ahead: 0, gaps: 0, over: false };
  let pushed = 0;
  let wake = () => {};
  const tell = (/** @type {{ played: number, gaps: number, over: boolean }} */ { played, gaps, over }) => {
    now = { seconds: played / context.sampleRate, ahead: (pushed - played) / context.sampleRate, gaps, over };
    onPlay?.(now);
    wake();
  };
  const enough = Math.round(ENOUGH * context.sampleRate);
  const player = await (await knowsPlayer(context) ? workletPlayer : bufferPlayer)(context, destination ?? context.destination, enough, tell);
  const wait = (/** @type {() => boolean} */ until) => new Promise((resolve, reject) => {
    const update = () => {
      if (signal?.aborted) reject(signal.reason);
      else if (context.state === 'closed') reject(new NextPixelError('closed', 'The AudioContext was closed'));
      else if (until()) resolve(undefined);
    };
    wake = update;
    update();
  });
  const abort = () => wake();
  signal?.addEventListener('abort', abort);
  context.addEventListener('statechange', abort);
  const push = (/** @type {Float32Array<ArrayBuffer>} */ samples) => {
    if (samples.length === 0) return;
    pushed += samples.length;
    now.ahead = pushed / context.sampleRate - now.seconds;
    player.push(samples);
  };
  try {
    for await (const { samples } of steps) {
      push(resampler.push(samples));
      await wait(() => now.ahead < AHEAD || drawn());
    }
    push(resampler.end());
    player.end();
    await wait(() => now.over);
    return now;
  } finally {
    wake = () => {};
    signal?.removeEventListener('abort', abort);
    context.removeEventListener('statechange', abort);
    player.stop();
  }
}

/** A browser lets a page sound only once somebody has clicked or pressed a key. @param {any} context */
async function started(context) {
  if (context.state === 'running' || typeof context.resume !== 'function') return;
  const late = new Promise((resolve) => { setTimeout(resolve, START_MS); });
  await Promise.race([context.resume().catch(() => {}), late]);
  if (context.state !== 'running') {
    throw argumentError('The AudioContext is not running: browsers let a page sound only after a click or a key, so call playTo() from one');
  }
}

/** @param {any} context */
function knowsPlayer(context) {
  let answer = known.get(context);
  if (!answer) {
    const add = async () => {
      if (!context.audioWorklet) return false; // a page that is not secure has none
      await context.audioWorklet.addModule(playerAddress());
      return true;
    };
    answer = add().catch(() => false);
    known.set(context, answer);
  }
  return answer;
}

/**
 * @param {any} context
 * @param {any} destination
 * @param {number} enough
 * @param {(now: { played: number, gaps: number, over: boolean }) => void} tell
 * @returns {Player}
 */
function workletPlayer(context, destination, enough, tell) {
  const node = new AudioWorkletNode(context, 'nextpixel-player', { numberOfInputs: 0, outputChannelCount: [1], processorOptions: { enough } });
  node.port.onmessage = ({ data }) => tell(data);
  node.connect(destination);
  return {
    push: (samples) => node.port.postMessage(samples, [samples.buffer]),
    end: () => node.port.postMessage('end'),
    stop: () => {
      node.port.postMessage('stop');
      node.disconnect();
    },
  };
}

/** Each buffer begins at the sample where the one before it ends. @type {typeof workletPlayer} */
function bufferPlayer(context, destination, enough, tell) {
  const { sampleRate } = context;
  /** @type {Set<any>} */
  const playing = new Set();
  let begin = -1; // the sample of the context at which the next buffer begins
  let [pushed, waiting, gaps] = [0, 0, 0];
  let ended = false;
  /** @type {Float32Array<ArrayBuffer>[]} */
  let held = [];
  const now = () => Math.round(context.currentTime * sampleRate);
  const start = () => {
    if (begin < now()) {
      if (begin >= 0) gaps++;
      begin = now() + Math.round(0.05 * sampleRate);
    }
    for (const samples of held) {
      const source = context.createBufferSource();
      source.buffer = context.createBuffer(1, samples.length, sampleRate);
      source.buffer.copyToChannel(samples, 0);
      source.connect(destination);
      source.start(begin / sampleRate);
      source.onended = () => playing.delete(source);
      playing.add(source);
      begin += samples.length;
    }
    held = [];
    waiting = 0;
  };
  const timer = setInterval(() => {
    const played = Math.max(0, Math.min(pushed, pushed - waiting - Math.max(0, begin - now())));
    tell({ played: begin < 0 ? 0 : played, gaps, over: ended && waiting === 0 && begin <= now() });
  }, TELL_MS);
  return {
    push: (samples) => {
      held.push(samples);
      pushed += samples.length;
      waiting += samples.length;
      if (waiting >= enough || (begin >= now() && begin >= 0)) start();
    },
    end: () => {
      ended = true;
      if (held.length > 0) start();
    },
    stop: () => {
      clearInterval(timer);
      for (const source of playing) {
        source.onended = null;
        source.stop();
        source.disconnect();
      }
    },
  };
}
