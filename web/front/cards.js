// SPDX-License-Identifier: MIT
// Draws the cards on the front page, one for each page about a paper. Each card first shows a still picture. Some papers have the field
// `pictures` (papers.js). When the card of such a paper comes into view, a model draws these pictures live in place of the still. Only one
// model runs at a time.
// @ts-check
import { make, reducedMotion } from '../shell/page/dom.js';
import { Codec, acquire } from '../shell/library.js';
import { Pace } from '../shell/run/pace.js';
import { palette } from '../shell/picture/palette.js';
import { pageAt, phrase } from '../shell/page/phrase.js';
import { weights } from '../shell/model/weights.js';
import { PAPERS } from './papers.js';
import { layout, shareOf } from './thumbs.js';
/** @import { Model } from '../shell/library.js' */
/** @import { Paper, Pictures } from './papers.js' */

/** Speed of each live drawing, in pixels per second. */
const SPEED = 500;
/** Pixels per request to the model. */
const CHUNK = 14;

/** @param {Paper & { page: string }} paper */
function createCard({ page: name, system, year, by, credit = `${by}, ${year}`, says = '', pictures, colourful }) {
  const still = make('img', {
    'data-src': new URL(`../pages/${name}/still.png`, import.meta.url).href,
    alt: '',
    width: '300',
    height: '200',
  });
  const canvas = make('canvas', { 'aria-hidden': 'true', hidden: '' });
  const box = make('div', { class: colourful ? 'thumb' : 'thumb inked' }, still, canvas);
  const root = make(
    'a',
    { class: 'card', href: pageAt(name) },
    box,
    make('h3', {}, phrase(system)),
    make('p', {}, phrase(says)),
    make('p', { class: 'card-paper' }, phrase(credit)),
  );
  return { root, box, canvas, still, pictures, done: false, seen: false };
}
/** @typedef {ReturnType<typeof createCard>} Card */

/**
 * Fetches each still picture when its card is about to come into view. With loading="lazy", browsers would start much earlier, at a
 * distance of 1,250 pixels or more.
 *
 * @param {Card[]} cards
 */
function fetchNear(cards) {
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const still = target.querySelector('img');
        if (!isIntersecting || !still?.dataset.src) continue;
        still.src = still.dataset.src;
        near.unobserve(target);
      }
    },
    { rootMargin: '100px' },
  );
  for (const { box } of cards) near.observe(box);
}

/** Draws the live pictures of a card. @param {Card} card @param {Pictures} pictures @param {Model} model @param {AbortSignal} signal */
async function draw({ canvas, still }, { seed, samples, temperature, label, passes }, model, signal) {
  const codec = new Codec(model.info, model.order);
  const { width, channels } = model.info;
  const grid = layout(samples, model.info);
  Object.assign(canvas, { width: grid.width, height: grid.height });
  const context = canvas.getContext('2d');
  if (!context) return;
  const { predicted, heat } = palette();
  const pace = new Pace(SPEED);
  canvas.hidden = false;
  still.hidden = true;
  for await (const { sample, from, to, values, ahead } of model.generate({
    seed,
    samples,
    temperature,
    signal,
    ...(passes ? { lookAhead: true } : { chunkSize: CHUNK * channels }),
    ...(label && { label }),
  })) {
    const { left, top } = grid.at(sample);
    for (let i = 0; i < values.length; i += channels) {
      const pixel = Math.floor(codec.place(from + i) / channels);
      context.fillStyle = passes
        ? heat(shareOf(ahead[i]))
        : channels === 1
          ? predicted[values[i]]
          : `rgb(${values[i]} ${values[i + 1]} ${values[i + 2]})`;
      context.fillRect(left + (pixel % width), top + Math.floor(pixel / width), 1, 1);
    }
    if (sample < samples - 1) continue;
    await pace.pass((to - from) / channels, signal);
  }
}

/**
 * @param {HTMLElement} root
 * @param {Promise<unknown>} first promise that must resolve before the first live drawing starts
 */
export function createCards(root, first) {
  // cards in the order of the courses in the page's HTML
  const cards = [...document.querySelectorAll('.course')].flatMap((course) => {
    const pages = [...course.querySelectorAll('li a')].map((link) => /pages\/([\w-]+)\//.exec(link.getAttribute('href') ?? '')?.[1]);
    const own = PAPERS.flatMap((paper) => (paper.page ? [{ ...paper, page: paper.page }] : []))
      .filter(({ page }) => pages.includes(page))
      .sort((a, b) => pages.indexOf(a.page) - pages.indexOf(b.page))
      .map(createCard);
    root.append(
      make('h3', { class: 'cards-name' }, course.querySelector('h3')?.textContent ?? ''),
      make('div', { class: 'cards' }, ...own.map((card) => card.root)),
    );
    return own;
  });
  fetchNear(cards);
  // if the visitor prefers reduced motion or saves data, all cards keep their still pictures
  const { saveData = false } = /** @type {{ connection?: { saveData?: boolean } }} */ (navigator).connection ?? {};
  if (reducedMotion() || saveData) return;

  let busy = false;
  /** @type {{ card: Card, stopper: AbortController } | null} */
  let now = null;
  async function next() {
    const card = cards.find(({ seen, done, pictures }) => seen && !done && pictures);
    if (busy || !card?.pictures || document.hidden) return;
    busy = true;
    const stopper = new AbortController();
    now = { card, stopper };
    try {
      const { model, release } = await acquire(weights(card.pictures.file), { signal: stopper.signal });
      try {
        await draw(card, card.pictures, model, stopper.signal);
        card.done = true;
      } finally {
        release();
      }
    } catch {
      card.done = !stopper.signal.aborted; // if the drawing fails, the card keeps its still picture
      card.canvas.hidden = true;
      card.still.hidden = false;
    }
    busy = false;
    now = null;
    next();
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const card = cards.find(({ box }) => box === target);
        if (card) card.seen = isIntersecting;
        if (card && !isIntersecting && now?.card === card) now.stopper.abort();
      }
      next();
    },
    { threshold: 0.5 },
  );
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) now?.stopper.abort();
    else next();
  });
  first.then(() => {
    for (const { box } of cards) observer.observe(box);
  });
}
