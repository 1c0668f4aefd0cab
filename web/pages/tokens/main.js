// SPDX-License-Identifier: MIT
// The page of tokens: a tale that writes itself, how its next token is drawn, one prompt at three temperatures, and how texts are cut.
// @ts-check
import { acquireFirst, byId, startPage, texts } from '../../shell/index.js';
import { createWriting } from '../../shell/text/index.js';
import { createChart } from './chart.js';
import { createDial } from './dial.js';
import { createOwn, showCard } from './own.js';
import { createPieces } from './pieces.js';
import { createThree } from './three.js';
/** @import { Alternative, TextSheet } from '../../shell/index.js' */

/** @param {TextSheet} Sheet what sets texts */
function createTokens(Sheet) {
  const chart = createChart();
  const three = createThree(Sheet);
  const pieces = createPieces();
  /** The most probable tokens where the chart stands. @type {Alternative[]} */
  let odds = [];
  /** How many tokens there are. */
  let vocabulary = 0;
  const showOdds = () => { if (odds.length > 0) chart.show(odds, dial.filters(), vocabulary); };
  const dial = createDial({ onMove: showOdds, onSet: () => writing.resample() });

  const writing = createWriting(Sheet, {
    acquire: acquireFirst, name: 'stories', sampling: dial.filters, address: dial,
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
  createOwn({
    onModel(model) {
      odds = [];
      writing.use(model, true);
    },
  });
  return writing.load();
}

startPage(texts().then(({ TextSheet }) => createTokens(TextSheet)));
