// SPDX-License-Identifier: MIT
// Shows the figures of a page one by one, full screen and in large type, for a lecture hall. The figures stay interactive. Alt+P or the
// button at the end of the page starts and ends this mode. The arrow keys, the space bar, Home, End and the keys of a presenter remote move
// between figures.
// @ts-check
import { announce } from '../library.js';
import { showAlone } from './alone.js';
import { createButton } from './button.js';
import { make } from './dom.js';
import { phrase } from './phrase.js';

/** Number of figures by which each key moves. @type {Record<string, number>} */
const KEYS = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1, ' ': 1, Home: -Infinity, End: Infinity };
/**
 * PRESSED: controls that use the space bar. MOVED: controls that use the left and right arrow keys, Home and End. MOVED does not contain
 * drop-down lists, because such lists need only the up and down arrow keys.
 */
const [PRESSED, MOVED] = [
  'a[href], button, input, select, summary, textarea, [tabindex]',
  'input:not([type=checkbox]), textarea, [tabindex], [role=slider]',
];

/** Returns whether the focused control uses the key for its own purpose. @param {KeyboardEvent} event */
const isTaken = ({ key, target }) => target instanceof Element && !key.startsWith('Page') && target.matches(key === ' ' ? PRESSED : MOVED);

/** Adds the projector mode to pages that have figures. */
export function createProjector() {
  const figures = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('main figure[id]:has(figcaption)')]);
  const colophon = document.querySelector('.colophon');
  if (!colophon || figures.length === 0) return;
  const { button } = createButton(phrase`Show the figures on the whole screen (Alt + P)`, { id: 'projector' });
  const name = make('h1'); // keeps a heading in the document whichever figure is shown
  const place = make('footer', { class: 'stage-place' }, name);
  colophon.prepend(make('p', { class: 'needs-js on-projector' }, button));
  /** Index of the figure that is shown; -1 for the normal page. */
  let at = -1;

  /** Hides everything that does not contain the shown figure. */
  function setStage() {
    document.documentElement.classList.toggle('staged', at >= 0);
    place.remove();
    showAlone(figures[at], place);
    if (at < 0) return;
    document.body.prepend(place);
    name.textContent = phrase`${at + 1} of ${figures.length}: arrow keys move, Escape exits`;
    announce(phrase`Figure ${at + 1}`);
    scrollTo({ top: 0, behavior: 'instant' });
  }
  function end() {
    const figure = figures[at];
    at = -1;
    setStage();
    figure?.scrollIntoView({ behavior: 'instant' });
    if (document.fullscreenElement) void document.exitFullscreen();
  }
  function begin() {
    const seen = figures.findIndex((figure) => figure.getBoundingClientRect().bottom > innerHeight / 3);
    at = Math.max(0, seen);
    setStage();
    document.documentElement.requestFullscreen?.().catch(() => {}); // if full screen is refused, the figure fills the window
  }

  button.addEventListener('click', () => {
    scrollTo({ top: 0, behavior: 'instant' }); // the first figure is at the top of the page
    begin();
  });
  document.addEventListener('fullscreenchange', () => {
    if (!document.fullscreenElement && at >= 0) end();
  });
  document.addEventListener('keydown', (event) => {
    if (event.altKey && event.code === 'KeyP') {
      event.preventDefault();
      if (at < 0) begin();
      else end();
      return;
    }
    if (at < 0 || event.defaultPrevented) return;
    if (event.key === 'Escape') end();
    const step = event.key === ' ' && event.shiftKey ? -1 : KEYS[event.key];
    if (!step || isTaken(event)) return;
    event.preventDefault();
    at = Math.min(figures.length - 1, Math.max(0, at + step));
    setStage();
  });
}
