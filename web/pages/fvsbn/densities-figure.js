// SPDX-License-Identifier: MIT
// Draws four probability distributions over the shades of a pixel. Shows the loss of the observed shade under each distribution, in nats.
// @ts-check
import { byId, keepInAddress, make, makeSvg, perFrame, phrase, wholeIn } from '../../shell/index.js';
import { SHADES, bernoulli, categorical, gaussian, logistic } from './densities.js';

const [HEIGHT, BASE] = [100, 92];
/**
 * Largest loss that fits in the charts, in nats.
 */
const MOST = 12;

/** The distributions. Each loss is -ln p of the observed value. */
const KINDS = [
  { name: phrase`Bernoulli`, says: phrase`a coin: one number`, loss: '−x ln p − (1 − x) ln (1 − p)', of: bernoulli },
  { name: phrase`Categorical`, says: phrase`a list: 16 numbers`, loss: '−ln pₖ, Σ pₖ = 1', of: categorical },
  { name: phrase`Gaussian`, says: phrase`two numbers; the loss grows quadratically`, loss: '(x − μ)² / 2σ² + ln σ√(2π)', of: gaussian },
  {
    name: phrase`Logistic`,
    says: phrase`two numbers; far out the loss grows linearly`,
    loss: '−ln [S((x + ½ − μ) / s) − S((x − ½ − μ) / s)], S(z) = 1 / (1 + e⁻ᶻ)',
    of: logistic,
  },
];

/** Creates the figure #figure-densities. */
export function createDensities() {
  const inputs = /** @type {Record<'mean' | 'width' | 'came', HTMLInputElement>} */ ({
    mean: byId('density-mean'),
    width: byId('density-width'),
    came: byId('density-came'),
  });
  const panels = KINDS.map(({ name, says, loss, of }) => {
    const area = makeSvg('path', { class: 'density' });
    const line = makeSvg('path', { class: 'loss' });
    const mark = makeSvg('line', { class: 'mark', y1: 0, y2: BASE });
    const svg = makeSvg(
      'svg',
      { viewBox: `0 0 ${SHADES} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': name },
      area,
      line,
      mark,
    );
    const note = make('p', { class: 'panel-note' });
    byId('densities').append(
      make(
        'div',
        { class: 'panel' },
        make('p', { class: 'panel-name' }, make('b', {}, name), says),
        make('p', { class: 'density-loss' }, loss),
        svg,
        note,
      ),
    );
    return { name, of, svg, area, line, mark, note };
  });
  /** @param {HTMLInputElement} input */
  const number = (input) => Number(input.value);

  const show = perFrame(() => {
    const [mean, width, came] = [number(inputs.mean), number(inputs.width), number(inputs.came)];
    byId('density-said').textContent = phrase`The distribution expects shade ${mean}, give or take ${width}; shade ${came} was observed.`;
    for (const { name, of, svg, area, line, mark, note } of panels) {
      const nats = of({ mean, width });
      const all = Array.from({ length: SHADES }, (_, x) => nats(x));
      const top = Math.max(...all.map((n) => Math.exp(-n)));
      const points = (/** @type {(nats: number) => number} */ height) =>
        all.map((n, x) => `${x} ${(BASE - Math.min(1, Math.max(0, height(n))) * (BASE - 4)).toFixed(1)}H${x + 1}`).join('L');
      area.setAttribute('d', `M0 ${BASE}L${points((n) => Math.exp(-n) / top)}V${BASE}Z`);
      line.setAttribute('d', `M${points((n) => n / MOST)}`);
      mark.setAttribute('x1', String(came + 0.5));
      mark.setAttribute('x2', String(came + 0.5));
      note.replaceChildren(make('b', {}, phrase`${nats(came).toFixed(2)} nats`));
      svg.setAttribute('aria-label', `${name}: ${note.textContent}`);
    }
  });
  const address = keepInAddress('figure-densities', {
    settings: () => ({ mean: number(inputs.mean), width: number(inputs.width), came: number(inputs.came) }),
    apply(given) {
      for (const [name, input] of Object.entries(inputs))
        input.value = String(wholeIn(given, name, Number(input.min), Number(input.max), number(input)));
      show();
    },
  });
  for (const input of Object.values(inputs))
    input.addEventListener('input', () => {
      show();
      address.changed(true);
    });
  show();
}
