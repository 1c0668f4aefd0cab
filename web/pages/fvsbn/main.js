// SPDX-License-Identifier: MIT
// Starts the page about the fully visible sigmoid belief network (FVSBN). Its figures are the completion of a binarised digit, the weights,
// the samples, and the training.
// @ts-check
import { SIDE, byId, bytes, integer, onFile, phrase, startPage, whenNear } from '../../shell/index.js';
import { createEndings, createStore, initialState } from '../../shell/completion/index.js';
import { createDensities } from './densities-figure.js';
import { readGguf } from '../../shell/model/gguf.js';
import { createLearning } from './learning-figure.js';
import { createSamples } from './samples-figure.js';
import { loadTrainingDigits } from './training-digits.js';
import { createScale, createVotes } from './votes.js';

const store = createStore(initialState());
const { load } = createEndings(store, 'fvsbn');

const votes = createVotes(byId('votes'));
createScale('votes-scale');
createDensities();
const samples = createSamples();
// Shows the weights of the pixel that the pointer selects in a completion.
store.on(['asked'], ({ asked }) => {
  if (asked) votes.show(asked.row * SIDE + asked.column);
});
store.on(['info'], ({ info }) => {
  if (info) byId('model-size').textContent = phrase`${integer(info.parameters)} numbers, ${bytes(info.bytes)}`;
});

/** Shows the weights in the model's file. @param {ArrayBuffer} file */
function showVotes(file) {
  const { tensor } = readGguf(file);
  const read = { weight: tensor('fvsbn.weight').values, bias: tensor('fvsbn.bias').values };
  votes.use(read);
  samples.use(read);
}
const loaded = load();
loaded
  .then(() => onFile(showVotes))
  .catch(() => {
    byId('votes-failed').hidden = false;
  });
whenNear(byId('samples'), () => {
  loadTrainingDigits()
    .then((digits) => {
      samples.show(digits);
      createLearning(digits);
    })
    .catch(() => {
      byId('samples-failed').hidden = byId('learning-failed').hidden = false;
    });
});
startPage(loaded);
