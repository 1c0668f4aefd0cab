// SPDX-License-Identifier: MIT
// Builds the panel next to the story. The panel shows the selected token, its alternatives, and the attention head whose weights are drawn.
// @ts-check
import { byId, make, phrase } from '../index.js';
import { createHeads } from './heads.js';
import { meanOf } from './maps.js';
import { share, visible } from './words.js';
/** @import { Alternative, AttentionMap } from '../index.js' */

const SHOWN = 8;

/**
 * @param {{ onChoose: (alternative: Alternative) => void, onHead: () => void }} hooks
 */
export function createAside({ onChoose, onHead }) {
  const title = byId('token-title');
  const note = byId('token-note');
  const list = byId('token-list');
  const heads = createHeads([byId('token-layer')], [byId('token-head')], onHead);
  let wanted = false; // whether to focus the list once it shows the selected token

  /** Returns whether the list still shows the previous token. */
  const waits = () => list.getAttribute('aria-busy') === 'true';
  /** @param {boolean} busy */
  const wait = (busy) => {
    list.setAttribute('aria-busy', String(busy));
    wanted &&= busy;
  };

  return {
    /** Sets the numbers of layers and heads to choose from. @param {number} layers @param {number} count */
    heads: (layers, count) => heads.have(layers, count),
    /** Returns the mean attention weights of the selected heads. @param {AttentionMap[]} maps */
    chosen: (maps) => ({ keys: maps[0].keys, weights: meanOf(maps, heads.choice) }),
    clear() {
      title.textContent = phrase`Point at a word`;
      note.textContent = phrase`Or move through the story with the arrow keys. The alternatives of the token and its attention appear here.`;
      list.replaceChildren();
      wait(false);
    },
    /**
     * Shows a token. The list stays as it is until alternatives() fills it.
     * @param {string} text
     * @param {number} token
     * @param {number} nats
     * @param {boolean} given
     */
    token(text, token, nats, given) {
      title.textContent = visible(text);
      note.textContent = given
        ? phrase`Token ${token}, given.`
        : phrase`Token ${token}: probability ${share(Math.exp(-nats))}, surprisal ${nats.toFixed(2)} nats.`;
      wait(true);
    },
    /** @param {Alternative[]} all @param {number} token the token that was drawn */
    alternatives(all, token) {
      const focus = wanted || list.contains(document.activeElement);
      wait(false);
      list.replaceChildren(
        ...all.slice(0, SHOWN).map((one) => {
          const odds = Math.exp(-one.nats);
          const bar = make('span', { class: 'bar', 'aria-hidden': 'true' });
          bar.style.setProperty('--share', String(odds));
          const button = make(
            'button',
            { type: 'button', class: one.token === token ? 'alternative drawn' : 'alternative' },
            make('span', { class: 'word' }, visible(one.text)),
            bar,
            make('span', { class: 'percent' }, share(odds)),
          );
          if (one.token === token) button.setAttribute('aria-current', 'true');
          button.addEventListener('click', () => {
            if (!waits()) onChoose(one);
          });
          return make('li', {}, button);
        }),
      );
      if (focus) list.querySelector('button')?.focus();
    },
    focus() {
      if (waits()) wanted = true;
      else list.querySelector('button')?.focus();
    },
    onEscape(/** @type {() => void} */ back) {
      list.addEventListener('keydown', (event) => {
        const { key } = event;
        const buttons = [...list.querySelectorAll('button')];
        const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
        if (key === 'Escape') back();
        else if (key === 'ArrowDown') buttons[Math.min(buttons.length - 1, at + 1)].focus();
        else if (key === 'ArrowUp') buttons[Math.max(0, at - 1)].focus();
        else return;
        event.preventDefault();
      });
    },
  };
}
