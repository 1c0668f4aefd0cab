// SPDX-License-Identifier: MIT
// @ts-check

/** Helpers for tests that insert <next-pixel> elements into a page, set their properties, call their methods, and remove them. */

import { toyText } from '../js/toy-text.js';
import { openEmpty, provide } from './browser.js';

/** @import { Page } from 'playwright-core' */

const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
const toy = toyText({ context: 512, metadata: { 'tokenizer.chat_template': ['string', TEMPLATE] } });

/**
 * Opens an empty page with the element defined. In the page, make(attributes, inside) inserts an element into the document and records its
 * events; heard(element, name) waits for an event.
 *
 * @param {Page} page
 */
export async function open(page) {
  await openEmpty(page);
  await provide(page, '/toy.gguf', toy);
  await provide(page, '/other.gguf', toy);
  await page.evaluate(async () => {
    const define = '/web/dist/define.js';
    await import(define);
    const all = /** @type {any} */ (globalThis);
    all.nap = (/** @type {number} */ ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      });
    all.until = async (/** @type {() => unknown} */ is) => {
      for (let i = 0; i < 1500 && !is(); i++) await all.nap(20);
      if (!is()) throw new Error(`still false: ${is}`);
    };
    all.make = (/** @type {Record<string, string>} */ attributes, inside = '') => {
      const element = /** @type {any} */ (document.createElement('next-pixel'));
      element.events = [];
      for (const name of ['nx-ready', 'nx-step', 'nx-end', 'nx-error'])
        element.addEventListener(name, (/** @type {Event} */ event) => element.events.push(event));
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.innerHTML = inside;
      document.body.append(element);
      return element;
    };
    all.count = (/** @type {any} */ { events }, /** @type {string} */ type) =>
      events.filter((/** @type {Event} */ event) => event.type === type).length;
    all.heard = (/** @type {any} */ element, /** @type {string} */ type) => all.until(() => all.count(element, type) > 0);
  });
}

/**
 * The functions that open() adds to the page.
 * @typedef {{ make: (attributes: Record<string, string>, inside?: string) => any, count: (element: any, type: string) => number, heard: (element: any, type:
 *   string) => Promise<void>, nap: (ms: number) => Promise<void>, until: (is: () => unknown) => Promise<void> }} Given
 */
