// SPDX-License-Identifier: MIT
// Opens a tile as a larger dialog. The dialog shows the tile's model in a <next-pixel> element, with an input for the visitor and a link to
// the model's page.
// @ts-check
import { isBlank } from '../../shell/page/blank.js';
import { make, reducedMotion } from '../../shell/page/dom.js';
import { fault } from '../../shell/page/fault.js';
import { phrase } from '../../shell/page/phrase.js';
import { elements } from '../../shell/library.js';
import { weights } from '../../shell/model/weights.js';
/** @import { Tile } from './stage.js' */

/** Maximum number of characters in a prompt. For longer prompts, visitors use the tile's page. */
const MOST = 160;
const GROW_MS = 220;

/** Returns the label of the setting that visitors can change. @param {Tile['asks']} asks */
const askedOf = (asks) => (asks === 'digit' ? phrase`The digit` : asks === 'class' ? phrase`The class` : phrase`Your own text`);

/** Creates the input that sets an attribute of the <next-pixel> element. @param {Tile} tile @param {any} element */
function asking({ asks, choices = [...'0123456789'] }, element) {
  if (!asks) return [];
  if (asks === 'prompt') {
    const input = make('input', {
      type: 'text',
      name: 'prompt',
      dir: 'auto',
      maxlength: String(MOST),
      value: element.getAttribute('prompt') ?? '',
      autocomplete: 'off',
    });
    const form = make(
      'form',
      { class: 'tile-asks' },
      make('label', {}, askedOf(asks), input),
      make('button', { type: 'submit', class: 'button' }, phrase`Run`),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (isBlank(input.value)) return;
      element.setAttribute('prompt', input.value);
      element.play();
    });
    return [form];
  }
  const buttons = choices.map((choice) => {
    const button = make(
      'button',
      { type: 'button', class: 'button', 'aria-pressed': String(element.getAttribute('label') === choice) },
      phrase(choice),
    );
    button.addEventListener('click', () => {
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
      element.setAttribute('label', choice);
      element.play();
    });
    return button;
  });
  return [make('div', { class: 'tile-asks', role: 'group', 'aria-label': askedOf(asks) }, ...buttons)];
}

/** @param {HTMLAnchorElement} link  the tile's link on the front page @param {Tile} tile @param {any} record */
export async function openTile(link, tile, record) {
  const element = make(/** @type {'div'} */ ('next-pixel'), {
    model: weights(tile.file),
    ...tile.element(record),
    loading: 'play',
    width: '560',
    height: '260',
    controls: '',
  });
  const name = link.querySelector('.tile-name')?.textContent ?? '';
  const again = [];
  if (tile.anew) {
    const button = make('button', { type: 'button', class: 'button' }, phrase`New seed`);
    button.addEventListener('click', () => {
      element.setAttribute('seed', String(Math.floor(1000 * Math.random())));
      /** @type {any} */ (element).play();
    });
    again.push(button);
  }
  const close = make('button', { type: 'button', class: 'tile-close', 'aria-label': phrase`Close` }, '×');
  const dialog = make(
    'dialog',
    { class: 'tile-open', 'aria-label': name },
    close,
    make('h2', {}, name),
    element,
    ...asking(tile, element),
    make('p', { class: 'tile-way' }, make('a', { class: 'button primary', href: link.href }, phrase`How it works`), ...again),
  );
  const was = link.getBoundingClientRect();
  document.body.append(dialog);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close(); // a click outside the dialog closes it
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    link.focus();
  });
  dialog.showModal();
  if (!reducedMotion()) {
    const now = dialog.getBoundingClientRect();
    const way = `translate(${was.left + was.width / 2 - now.left - now.width / 2}px, ${was.top + was.height / 2 - now.top - now.height / 2}px) scale(${was.width / now.width})`;
    dialog.animate(
      [
        { transform: way, opacity: 0.4 },
        { transform: 'none', opacity: 1 },
      ],
      { duration: GROW_MS, easing: 'ease-out' },
    );
  }
  try {
    await elements();
    if (dialog.open) void (/** @type {any} */ (element).play());
  } catch (error) {
    element.replaceWith(make('p', { role: 'alert' }, `${fault(error)}.`));
  }
}
