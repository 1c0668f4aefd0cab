// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Plays samples as they arrive: through an AudioWorklet (player.js) or, if the page's policy or a single-file build prevents that, through
 * consecutive buffers.
 */

import { abortable } from '../base/abort.js';
import { audible, closed, moments } from '../base/audio.js';
import { vouched } from '../base/vouch.js';
import { playerAddress } from '../files.js';
import { Resampler } from './resample.js';

/** @import { Dom } from '../base/dom.js' */

/**
 * The progress of playback.
 *
 * @typedef {object} Played
 * @property {number} seconds  seconds played so far
 * @property {number} ahead    seconds of sound that are ready but not yet played
 * @property {number} gaps     number of gaps of silence within the sound, which occur if the machine is too slow
 * @property {boolean} over    whether everything has been played
 */

/**
 * @typedef {object} PlayOptions
 * @property {AbortSignal} [signal]  stops the sound
 * @property {Dom<'AudioNode'>} [destination]  the AudioNode to play to; by default the context's destination
 * @property {(played: Played) => void} [onPlay]  called about fifty times per second
 */

/** `ENOUGH`: seconds of sound that must be ready before playback begins. `AHEAD`: maximum number of seconds by which the run is ahead of
 * the playback. */
const ENOUGH = 0.1;
const AHEAD = 0.6;
/** Time between two reports when buffers are used, in milliseconds. */
const TELL_MS = 25;

/** Maps each context to whether it has loaded the player. @type {WeakMap<object, Promise<boolean>>} */
const known = new WeakMap();

/** rest: pauses the sound, or resumes it at the same position.
 * @typedef {{ push: (samples: Float32Array<ArrayBuffer>) => void, end: () => void, stop: () => void, rest: (resting: boolean) => void }} Player */

/**
 * @param {AsyncIterable<{ samples: Float32Array }>} steps
 * @param {number} rate
 * @param {any} context  an AudioContext
 * @param {PlayOptions} options
 * @param {() => boolean} [drawn]  returns whether the whole sound is drawn; the rest of it is then passed to the player without waiting
 * @param {(rest: Player['rest']) => void} [onStart]  receives a function that pauses the sound
 * @returns {Promise<Played>} when everything has been played, resolves to the last report
 */
export async function play(steps, rate, context, options, drawn = () => false, onStart = () => {}) {
  const { signal, destination } = options;
  await audible(context, options);
  const resampler = new Resampler(rate, context.sampleRate);
  /** @type {Played} */
  let now = { seconds: 0, ahead: 0, gaps: 0, over: false };
  let pushed = 0;
  const listening = /** @type {ReturnType<typeof moments<Played>>} */ (moments(context, options));
  const tell = (/** @type {{ played: number, gaps: number, over: boolean }} */ { played, gaps, over }) => {
    now = { seconds: played / context.sampleRate, ahead: (pushed - played) / context.sampleRate, gaps, over };
    listening.tell(now);
  };
  const enough = Math.round(ENOUGH * context.sampleRate);
  const player = await playerOf(context, destination, enough, tell, signal).catch((error) => {
    listening.end();
    throw error;
  });
  onStart(player.rest);
  const push = (/** @type {Float32Array<ArrayBuffer>} */ samples) => {
    if (samples.length === 0) return;
    pushed += samples.length;
    now.ahead = pushed / context.sampleRate - now.seconds;
    player.push(samples);
  };
  try {
    for await (const { samples } of steps) {
      push(resampler.push(samples));
      await listening.until(() => now.ahead < AHEAD || drawn());
    }
    push(resampler.end());
    player.end();
    await listening.until(() => now.over);
    await listening.last();
    return now;
  } finally {
    listening.end();
    player.stop();
  }
}

/** @param {any} context @param {any} destination @param {number} enough @param {Parameters<typeof workletPlayer>[3]} tell @param {AbortSignal} [signal] */
async function playerOf(context, destination, enough, tell, signal) {
  const worklet = await abortable(knowsPlayer(context), signal);
  if (context.state === 'closed') throw closed();
  return (worklet ? workletPlayer : bufferPlayer)(context, destination ?? context.destination, enough, tell);
}

/** @param {any} context */
function knowsPlayer(context) {
  let answer = known.get(context);
  if (!answer) {
    const add = async () => {
      if (!context.audioWorklet) return false; // an insecure page has no audioWorklet
      await context.audioWorklet.addModule(vouched.by(String(playerAddress())));
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
  const node = new AudioWorkletNode(context, 'nextpixel-player', {
    numberOfInputs: 0,
    outputChannelCount: [1],
    processorOptions: { enough },
  });
  node.port.onmessage = ({ data }) => tell(data);
  node.connect(destination);
  return {
    push: (samples) => node.port.postMessage(samples, [samples.buffer]),
    end: () => node.port.postMessage('end'),
    rest: (resting) => node.port.postMessage(resting ? 'rest' : 'go on'),
    stop: () => {
      node.port.postMessage('stop');
      node.port.onmessage = null;
      node.disconnect();
    },
  };
}

/** Plays buffers end to end: each begins at the sample where the previous one ends. @type {typeof workletPlayer} */
function bufferPlayer(context, destination, enough, tell) {
  const { sampleRate } = context;
  /** @type {Set<{ source: any, samples: Float32Array<ArrayBuffer>, begin: number }>} */
  const playing = new Set();
  let begin = -1; // time at which the next buffer begins, in samples of the context's clock
  let [pushed, waiting, gaps] = [0, 0, 0];
  let [ended, resting] = [false, false];
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
      const one = { source, samples, begin };
      source.onended = () => playing.delete(one);
      playing.add(one);
      begin += samples.length;
    }
    held = [];
    waiting = 0;
  };
  const silence = () => {
    for (const { source } of playing) {
      source.onended = null;
      source.stop();
      source.disconnect();
    }
  };
  const timer = setInterval(() => {
    const played = Math.max(0, Math.min(pushed, pushed - waiting - Math.max(0, begin - now())));
    if (!resting) tell({ played: begin < 0 && waiting === pushed ? 0 : played, gaps, over: ended && waiting === 0 && begin <= now() });
  }, TELL_MS);
  return {
    push: (samples) => {
      held.push(samples);
      pushed += samples.length;
      waiting += samples.length;
      if (!resting && (waiting >= enough || (begin >= now() && begin >= 0))) start();
    },
    end: () => {
      ended = true;
      if (held.length > 0 && !resting) start();
    },
    rest: (rests) => {
      if (rests === resting) return;
      resting = rests;
      if (!resting) return void (held.length > 0 && (ended || waiting >= enough) && start());
      silence();
      const left = [...playing]
        .map(({ samples, begin: first }) => samples.slice(Math.min(samples.length, Math.max(0, now() - first))))
        .filter(({ length }) => length > 0);
      playing.clear();
      held = [...left, ...held];
      waiting = held.reduce((sum, { length }) => sum + length, 0);
      begin = -1; // a gap that comes from a pause does not count
    },
    stop: () => {
      clearInterval(timer);
      silence();
    },
  };
}
