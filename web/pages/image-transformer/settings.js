// SPDX-License-Identifier: MIT
// Connects each setting of the first figure to one field of the state.
// @ts-check
import { NATS_SHOWN, byId, createLegend, createSpeed, make, phrase } from '../../shell/index.js';
/** @import { State, Store } from '../../shell/completion/index.js' */

/** Selectable speeds: pixels drawn per second in each picture. */
const SPEEDS = [5, 15, 40, 80, 150, 250, 500, Infinity];

/** @param {Store<State>} store */
export function createSettings(store) {
  /** @type {HTMLInputElement} */
  const temperature = byId('temperature');
  const showTemperature = () => {
    const t = store.now.temperature;
    const text =
      t === 0
        ? phrase`0: always the most probable`
        : t === 1
          ? phrase`1: unchanged probabilities`
          : t < 1
            ? phrase`${t.toFixed(2)}: more cautious`
            : phrase`${t.toFixed(2)}: more daring`;
    temperature.value = String(t);
    byId('temperature-text').textContent = text;
    temperature.setAttribute('aria-valuetext', text);
  };
  temperature.addEventListener('input', () => store.set({ temperature: Number(temperature.value) }));
  store.on(['temperature'], showTemperature);
  showTemperature();

  const speed = createSpeed({ id: 'speed', speeds: SPEEDS, first: SPEEDS.indexOf(store.now.speed) }, (s) => store.set({ speed: s }));
  byId('speed-control').append(speed.label, speed.input, speed.output);

  /** @type {HTMLSelectElement} */
  const label = byId('label');
  label.addEventListener('change', () => store.set({ label: label.value, truth: null }));
  store.on(['info', 'label'], ({ info, label: name }) => {
    if (!info) return;
    if (label.options.length === 1)
      label.append(...info.classes.map((/** @type {string} */ one) => make('option', { value: one }, phrase`It is a ${one}`)));
    label.disabled = info.classes.length === 0;
    if (name && !info.classes.includes(name)) store.set({ label: '' });
    label.value = store.now.label;
  });

  /** @type {HTMLInputElement} */
  const surprise = byId('show-surprise');
  const link = byId('surprise-link');
  const legend = byId('nats-legend');
  createLegend(
    legend,
    Array.from({ length: NATS_SHOWN + 1 }, (_, n) => (n === NATS_SHOWN ? phrase`${n} nats or more` : String(n))),
  );
  const figure = document.querySelector('#surprise-link [data-figure]')?.textContent ?? '';
  const showSurprise = () => {
    const on = store.now.surprise;
    surprise.checked = on;
    legend.hidden = !on;
    link.setAttribute('aria-pressed', String(on));
    link.textContent = on ? phrase`Hide the surprise in ${figure}` : phrase`Show the surprise in ${figure}`;
  };
  surprise.addEventListener('change', () => store.set({ surprise: surprise.checked }));
  link.addEventListener('click', () => {
    store.set({ surprise: !store.now.surprise });
    if (store.now.surprise) byId('figure-endings').scrollIntoView({ block: 'start' });
  });
  store.on(['surprise'], showSurprise);
  showSurprise();
}
