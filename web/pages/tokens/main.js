// SPDX-License-Identifier: MIT
// Starts the tokens page. Its figures are a story that the model writes, the sampling of the next token, one prompt at three temperatures,
// and tokenization.
// @ts-check
import { acquireFirst, byId, fault, make, startPage, talks, texts } from '../../shell/index.js';
import { createOwn, createWriting, showCard } from '../../shell/text/index.js';
import { createChart } from './chart.js';
import { createDial } from './dial.js';
import { createPieces } from './pieces.js';
import { createThree } from './three.js';
/** @import { Alternative, Model, Talk, TextSheet, TextOptions } from '../../shell/index.js' */

/**
 * Opens a chat if the model's file has a chat template. Fetches the code of the chat box when the first model with a chat template is
 * loaded.
 * @param {HTMLElement} room
 * @param {() => TextOptions} options
 */
function createTalk(room, options) {
  /** @type {Promise<InstanceType<Talk>> | undefined} */
  let opened;
  const note = make('p', { class: 'notice', role: 'alert' });
  async function open() {
    const { Talk: Box } = await talks();
    const box = make('div', {});
    (room.shadowRoot ?? room.attachShadow({ mode: 'open' })).replaceChildren(box);
    return new Box(box, { options });
  }
  return async (/** @type {Model} */ model) => {
    const fits = model.info.chatTemplate !== '';
    room.hidden = !fits;
    if (!fits && !opened) return;
    note.remove();
    opened ??= open().catch((error) => {
      opened = undefined; // if the code could not be fetched, it is fetched again for the next model
      throw error;
    });
    try {
      const talk = await opened;
      talk.clear();
      talk.use(fits ? model : undefined);
    } catch (error) {
      note.textContent = `${fault(error)}.`;
      room.after(note); // placed outside the chat's shadow root, because the page's styles do not apply inside it
    }
  };
}

/** @param {TextSheet} Sheet library class that draws texts */
function createTokens(Sheet) {
  const chart = createChart();
  const three = createThree(Sheet);
  const pieces = createPieces();
  /** The most probable tokens at the position that the chart shows. @type {Alternative[]} */
  let odds = [];
  /** Number of tokens in the vocabulary. */
  let vocabulary = 0;
  const showOdds = () => {
    if (odds.length > 0) chart.show(odds, dial.filters(), vocabulary);
  };
  const dial = createDial({ onMove: showOdds, onSet: () => writing.resample() });

  const writing = createWriting(Sheet, {
    acquire: acquireFirst,
    name: 'stories',
    sampling: dial.filters,
    address: dial,
    onOdds(next, before, { info }) {
      odds = next;
      vocabulary = info.vocabulary;
      showOdds();
      byId('odds-where').textContent = before ? `… ${before} ___` : '___';
    },
    onFirst(model, words) {
      showCard(model);
      pieces.use(words ?? null);
      three.use(words ? model : null);
    },
    onLost: () => three.use(null),
  });
  const talk = createTalk(byId('own-talk'), dial.filters);
  createOwn({
    onModel(model) {
      odds = [];
      writing.use(model, true);
      talk(model);
    },
  });
  return writing.load();
}

startPage(texts().then(({ TextSheet }) => createTokens(TextSheet)));
