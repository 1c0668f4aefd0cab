// SPDX-License-Identifier: MIT
// Generates a chorale without any input, and draws the attention of each note as arcs.
// @ts-check
import { announce, byId, createTransport, fault, perFrame, phrase } from '../../shell/index.js';
import { hear, offer } from './hear.js';
import { nameOf } from './piano.js';
import { sentenceOf, voiceOf } from './sentence.js';
/** @import { AttentionMap } from '../../shell/index.js' */
/** @typedef {import('../../lib/kinds/note/note-run.js').NoteRun} NoteRun */
/** @typedef {import('../../lib/kinds/note/roll.js').Roll} Roll */
/** @typedef {ReturnType<typeof import('./answer.js').createAnswer>} Answer */

const SEED = 2;
const BARS = 16;
/** Attention below this fraction is not drawn. */
const LEAST = 0.01;

/** @param {Answer} answer */
export function createAlone(answer) {
  const canvas = /** @type {HTMLCanvasElement} */ (byId('alone-roll'));
  const [warmth, strict] = ['warmth', 'alone-strict'].map((id) => /** @type {HTMLInputElement} */ (byId(id)));
  const [said, looked, warmthSaid] = [byId('alone-said'), byId('alone-looked'), byId('warmth-said')];
  const links = { midi: /** @type {HTMLAnchorElement} */ (byId('alone-midi')), wav: /** @type {HTMLAnchorElement} */ (byId('alone-wav')) };
  /** @type {NoteRun | undefined} */
  let run;
  /** @type {Roll | undefined} */
  let roll;
  /** @type {AbortController | undefined} */
  let stopper;
  /** For each position, maps each earlier position to its fraction of the attention. @type {Map<number, Map<number, number>>} */
  let maps = new Map();
  let chosen = -1;

  const transport = createTransport(byId('alone-transport'), {
    name: 'alone',
    seed: SEED,
    onSeed: () => start(),
    pace: true,
    onRun: () => (run?.finish && run.finish !== 'abort' ? play() : start(true)),
    onStop: () => {
      stopper?.abort();
      transport.show('ready');
    },
  });

  /** @param {boolean} [aloud] */
  async function start(aloud = false) {
    stopper?.abort();
    const { model } = answer;
    if (!model) return;
    const { signal } = (stopper = new AbortController());
    transport.show('running');
    links.midi.hidden = links.wav.hidden = true;
    [maps, chosen, looked.textContent] = [new Map(), -1, ''];
    const began = performance.now();
    try {
      const drawing = (run = model.generate({
        bars: BARS,
        seed: transport.seed,
        temperature: Number(warmth.value) / 100,
        parallels: !strict.checked,
        maps: true,
        signal,
      }));
      const shown = (roll = /** @type {Roll} */ (drawing.sink(canvas)));
      shown.over = paintArcs;
      const heard = aloud ? hear(drawing, shown, signal) : Promise.resolve('');
      heard.catch(() => {});
      let ids = 0;
      for await (const step of drawing) {
        shown.add(step);
        ids = step.to;
        if (step.maps) maps.set(step.from, sharesOf(step.maps));
      }
      shown.end();
      byId('alone-result').textContent = (await drawing.notes())
        .map(({ start: at, length, pitch, voice }) => `${voice[0]}${at}+${length}:${pitch}`)
        .join(' ');
      transport.say(phrase`${ids} ids in ${((performance.now() - began) / 1000).toFixed(2)} s`);
      said.textContent = `${sentenceOf(shown)}${drawing.finish === 'length' ? phrase` It was cut off after ${BARS} bars.` : ''}${await heard}`;
      await offer(links, drawing, `chorale-${transport.seed}`);
      if (signal.aborted) return;
      transport.show('done');
      announce(sentenceOf(shown));
      look(Math.floor(shown.notes.length / 2));
    } catch (error) {
      if (signal.aborted) return;
      transport.show('ready');
      said.textContent = `${fault(error)}.`;
    }
  }

  async function play() {
    stopper?.abort();
    if (!run || !roll) return;
    const { signal } = (stopper = new AbortController());
    transport.show('running');
    try {
      said.textContent = `${sentenceOf(roll)}${await hear(run, roll, signal)}`;
      transport.show('done');
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** @param {number} index index of the note */
  function look(index) {
    if (!roll || roll.notes.length === 0) return;
    chosen = Math.min(roll.notes.length - 1, Math.max(0, index));
    const note = roll.notes[chosen];
    const best = arcsOf(note.position)
      .sort((a, b) => b.share - a.share)
      .slice(0, 3);
    looked.textContent = phrase`${voiceOf(note.voice)} ${nameOf(note.pitch)}, ${note.nats.toFixed(2)} nats. It attended most to ${best.map(({ to }) => `${voiceOf(to.voice)} ${nameOf(to.pitch)}`).join(', ') || phrase`the beginning`}.`;
    roll.paintSoon();
  }

  /** Returns one arc for each note that a position attends to. @param {number} position */
  function arcsOf(position) {
    const shares = maps.get(position);
    return (roll?.notes ?? []).flatMap((to) => {
      const share = shares?.get(to.position) ?? 0;
      return share >= LEAST ? [{ to, share }] : [];
    });
  }

  /** @param {Roll} shown */
  function paintArcs(shown) {
    const from = shown.notes[chosen];
    if (!from) return;
    const { context } = shown;
    const { x, y, row } = shown.scale;
    const { ink, accent } = shown.colours();
    const arcs = arcsOf(from.position);
    const most = Math.max(LEAST, ...arcs.map(({ share }) => share));
    const [endX, endY] = [x(from.start), y(from.pitch) + row / 2];
    context.lineWidth = 2;
    context.strokeStyle = ink;
    context.strokeRect(x(from.start), y(from.pitch) - row * 0.3, x(from.end) - x(from.start), row * 1.6);
    context.strokeStyle = accent;
    for (const { to, share } of arcs) {
      const [beginX, beginY] = [(x(to.start) + x(to.end)) / 2, y(to.pitch) + row / 2];
      context.globalAlpha = 0.15 + (0.85 * share) / most;
      context.lineWidth = 1 + (2 * share) / most;
      context.beginPath();
      context.moveTo(beginX, beginY);
      context.quadraticCurveTo((beginX + endX) / 2, Math.min(beginY, endY) - Math.min(60, 10 + Math.abs(endX - beginX) / 3), endX, endY);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  const point = perFrame(() => look(near));
  let near = 0;
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    if (!roll) return;
    const { x, y, row } = roll.scale;
    const distance = roll.notes.map(
      ({ start: at, end, pitch }) => Math.max(0, x(at) - offsetX, offsetX - x(end)) + Math.abs(y(pitch) + row / 2 - offsetY),
    );
    near = distance.indexOf(Math.min(...distance));
    point();
  });
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    look(chosen + step);
  });
  warmth.addEventListener('input', () => {
    warmthSaid.textContent = (Number(warmth.value) / 100).toFixed(2);
  });
  for (const input of [warmth, strict]) input.addEventListener('change', () => start());
  answer.on(() => {
    if (!run) void start();
  });
  void start();
}

/**
 * Returns the fraction of attention that each earlier position gets, averaged over all heads.
 *
 * @param {AttentionMap[]} maps
 */
function sharesOf(maps) {
  /** @type {Map<number, number>} */
  const shares = new Map();
  for (const { keys, weights } of maps) keys.forEach((key, i) => shares.set(key, (shares.get(key) ?? 0) + weights[i] / maps.length));
  return shares;
}
