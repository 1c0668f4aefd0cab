// SPDX-License-Identifier: MIT
// One prompt at three temperatures side by side, with the same noise.
// @ts-check
import { Pace, announce, byId, createTransport, make, reducedMotion, whileSeen } from '../../shell/index.js';
/** @import { Model, Phase, TextPage } from '../../shell/index.js' */

const TEMPERATURES = [0.4, 0.8, 1.2];
const TOKENS = 90;
const SPEED = 14;

/** @param {TextPage} Sheet what sets the texts */
export function createThree(Sheet) {
  /** @type {HTMLInputElement} */
  const prompt = byId('three-prompt');
  const panels = TEMPERATURES.map((temperature, i) => {
    const canvas = make('canvas', { class: 'page-text small', 'aria-hidden': 'true' });
    const mirror = make('p', { class: 'visually-hidden' });
    const note = make('p', { class: 'panel-note' });
    byId('three-panels').append(make('div', { class: 'panel' },
      make('p', { class: 'panel-name' }, make('b', {}, `Temperature ${temperature}`)), make('div', { class: 'page', id: `three-${i}` }, canvas, mirror), note));
    return { temperature, page: new Sheet(canvas, { mirror }), note };
  });
  /** @type {Model | null} */
  let model = null;
  /** @type {Phase} */
  let phase = 'empty';
  let stopper = new AbortController();
  const pace = new Pace(SPEED);

  /** @param {Phase} next */
  function enter(next) {
    phase = next;
    transport.show(phase);
    prompt.disabled = phase === 'empty';
  }

  async function start() {
    stopper.abort();
    if (!model) return;
    stopper = new AbortController();
    const { signal } = stopper;
    const writer = model;
    enter('running');
    pace.resume();
    announce('Writing at three temperatures.');
    try {
      const runs = panels.map(({ temperature, page, note }) => {
        const run = writer.tokens(prompt.value, { temperature, seed: transport.seed, maxTokens: Math.min(TOKENS, writer.info.positions >> 1), signal });
        page.clear();
        page.add({ text: run.before, given: true });
        note.textContent = '';
        return { steps: run[Symbol.asyncIterator](), run, page, note, nats: 0, count: 0, over: false };
      });
      while (runs.some(({ over }) => !over)) {
        if (!reducedMotion()) await pace.take(1, signal);
        for (const one of runs) {
          if (one.over) continue;
          const { done, value } = await one.steps.next();
          one.over = Boolean(done);
          if (value) {
            one.page.add(value);
            one.nats += value.nats;
            one.count++;
          }
          if (one.over) one.page.end();
          one.note.textContent = one.count > 0 ? `${one.count} tokens, ${(one.nats / one.count).toFixed(2)} nats each${one.over && one.run.finish === 'end' ? '; the end' : ''}` : '';
        }
      }
      enter('done');
      announce('Three tales are written.');
    } catch (error) {
      if (signal.aborted) return;
      enter('ready');
      panels[0].note.textContent = String(/** @type {any} */ (error).message);
    }
  }

  const transport = createTransport(byId('three-transport'), {
    name: 'three', seed: 3, onRun: start, onSeed: start,
    onStop() {
      stopper.abort();
      if (phase === 'running') enter('ready');
    },
  });
  const sight = whileSeen(byId('figure-three'), {
    start() {
      if (phase === 'running') pace.resume();
      if (phase !== 'ready') return false;
      start();
      return true;
    },
    stop() {
      if (phase === 'running') pace.pause();
      return phase === 'running';
    },
  });
  transport.onPress(sight.decide);
  prompt.addEventListener('change', () => {
    sight.decide();
    start();
  });
  return {
    /** @param {Model | null} next */
    use(next) {
      stopper.abort();
      model = next;
      enter(next ? 'ready' : 'empty');
      if (next) sight.proceed();
    },
  };
}
