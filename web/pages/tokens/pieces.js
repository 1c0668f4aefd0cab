// SPDX-License-Identifier: MIT
// Splits the visitor's text into tokens while the visitor types. Shows the id of each token, and the bytes of tokens that are not whole
// characters.
// @ts-check
import { byId, make, perFrame, phrase } from '../../shell/index.js';
import { visible } from '../../shell/text/index.js';
/** @import { Tokenizer } from '../../shell/index.js' */

const SHOWN = 600;

/** @param {Uint8Array} bytes */
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');

export function createPieces() {
  /** @type {HTMLTextAreaElement} */
  const input = byId('pieces-input');
  const list = byId('pieces-list');
  const note = byId('pieces-note');
  const count = byId('pieces-count');
  /** @type {Tokenizer | null} */
  let tokenizer = null;

  /** @param {HTMLElement} chip */
  function tell(chip) {
    if (!tokenizer) return;
    const id = Number(chip.dataset.token);
    const kind = {
      normal: '',
      byte: phrase`, one byte of a character that has no token`,
      control: phrase`, a control token`,
      unknown: phrase`, unknown`,
      user: phrase`, defined by the file’s maker`,
    }[tokenizer.kind(id)];
    const bytes = tokenizer.bytes(id);
    note.textContent =
      bytes.length === 1
        ? phrase`${chip.textContent}: token ${id}${kind}, byte ${hex(bytes)}`
        : phrase`${chip.textContent}: token ${id}${kind}, bytes ${hex(bytes)}`;
    for (const other of list.children) /** @type {HTMLElement} */ (other).tabIndex = other === chip ? 0 : -1;
  }

  const show = perFrame(() => {
    if (!tokenizer) return;
    const { begin, addsBegin } = tokenizer;
    const ids = tokenizer.encode(input.value, { special: true });
    list.replaceChildren(
      ...Array.from(ids.subarray(0, SHOWN), (id, i) => {
        const kind = tokenizer?.kind(id);
        const chip = make(
          'span',
          { class: `piece ${kind}`, role: 'listitem', tabindex: i === 0 ? '0' : '-1', 'data-token': String(id) },
          visible(tokenizer?.name(id) ?? ''),
        );
        return chip;
      }),
    );
    const letters = [...input.value].length;
    const own = addsBegin && ids[0] === begin ? ids.length - 1 : ids.length;
    const tokens = own === 1 ? phrase`1 token` : phrase`${own} tokens`;
    const characters = letters === 1 ? phrase`1 character` : phrase`${letters} characters`;
    count.textContent =
      ids.length > SHOWN ? phrase`${tokens} for ${characters}, with the first ${SHOWN} tokens shown` : phrase`${tokens} for ${characters}`;
    note.textContent = phrase`Point at a token, or use the arrow keys, to see its id and bytes.`;
  });
  input.addEventListener('input', show);
  for (const type of ['pointerover', 'focusin']) {
    list.addEventListener(type, (event) => {
      const chip = /** @type {HTMLElement} */ (event.target).closest('.piece');
      if (chip) tell(/** @type {HTMLElement} */ (chip));
    });
  }
  list.addEventListener('keydown', (event) => {
    const now = /** @type {HTMLElement} */ (event.target);
    const next = event.key === 'ArrowRight' ? now.nextElementSibling : event.key === 'ArrowLeft' ? now.previousElementSibling : null;
    if (!next) return;
    /** @type {HTMLElement} */ (next).focus();
    event.preventDefault();
  });
  return {
    /** @param {Tokenizer | null} next */
    use(next) {
      tokenizer = next;
      input.disabled = !next;
      show();
    },
  };
}
