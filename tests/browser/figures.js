// SPDX-License-Identifier: MIT
// Each row of five lectures on self-attention and generative models: its content, and the figure on these pages in which a visitor changes
// something and sees the result, or the reason why there is none. Tests open each figure (tests/browser/all/figures.test.js) and count
// them.
// @ts-check

/**
 * @typedef {{ shows: string, page: string, at: string, but?: string }} Alive  page: folder of the page; at: id of the figure; but: the part
 * of the row that the figure leaves out
 */
/** @typedef {{ shows: string, why: string }} Still */

/** @type {Record<string, Alive | Still>} */
export const FIGURES = {
  A1: { shows: 'completions and enlargements, several of each picture', page: 'colour', at: 'figure-colour' },
  A2: { shows: 'attention as comparing and adding', page: 'opened', at: 'overture' },
  A3: { shows: 'states of the encoder as keys and values, of the decoder as queries', page: 'alignment', at: 'figure-unrolled' },
  A4: { shows: 'the attention value joined to the hidden state', page: 'alignment', at: 'figure-unrolled' },
  A5: { shows: 'the architecture of the Transformer, one-hot inputs, outputs shifted right', page: 'opened', at: 'figure-opened' },
  A6: { shows: 'positions as sines', page: 'transformer', at: 'figure-waves' },
  A7: { shows: 'scaled dot products and their mask', page: 'opened', at: 'figure-opened' },
  A8: { shows: 'how far a convolution reaches, and how far local attention', page: 'same-digit', at: 'figure-reach' },
  A9: { shows: 'the equations of a layer', page: 'opened', at: 'figure-layer' },
  A10: { shows: 'learned positions of rows and columns', page: 'image-transformer', at: 'figure-positions' },
  A11: {
    shows: 'local attention in one and two dimensions: query block, memory block, mask',
    page: 'image-transformer',
    at: 'figure-geometry',
  },
  A12: { shows: 'samples next to those of older models', page: 'same-digit', at: 'figure-endings' },
  A13: { shows: 'super-resolution', page: 'colour', at: 'figure-superres' },

  B1: { shows: 'the kinds of generative models', page: 'same-digit', at: 'figure-kinds' },
  B2: { shows: 'the chain rule', page: 'image-transformer', at: 'figure-endings' },
  B3: { shows: 'Bernoulli, categorical, Gaussian, logistic: densities and losses', page: 'fvsbn', at: 'figure-densities' },
  B4: { shows: 'the FVSBN, pixel by pixel', page: 'fvsbn', at: 'figure-endings' },
  B5: { shows: 'the FVSBN: training digits and samples', page: 'fvsbn', at: 'figure-samples' },
  B6: { shows: 'raster order, receptive field, a masked kernel of 5 by 5', page: 'pixelcnn', at: 'figure-masks' },
  B7: { shows: 'samples by class', page: 'pixelcnn', at: 'figure-classes' },
  B8: { shows: 'a causal convolution', page: 'wavenet', at: 'figure-trees' },
  B9: { shows: 'dilated convolutions', page: 'wavenet', at: 'figure-trees' },
  B10: { shows: 'a waveform, from seconds down to samples', page: 'wavenet', at: 'figure-play' },
  B11: { shows: 'encoder, decoder, heads, feed-forward', page: 'opened', at: 'figure-opened' },
  B12: { shows: 'the Image Transformer: enlarging, classes, blocks', page: 'colour', at: 'figure-superres' },
  B13: { shows: 'patterns that dense attention learns, layer by layer', page: 'sparse', at: 'figure-heads' },
  B14: { shows: 'strided and fixed patterns on a small picture', page: 'sparse', at: 'figure-patterns' },
  B15: {
    shows: 'sparse models that draw pictures, sound and music',
    page: 'sparse',
    at: 'figure-endings',
  },
  B16: { shows: 'Jukebox: audio to codes, priors, codes back to audio', page: 'jukebox', at: 'figure-stages' },

  C1: { shows: 'the locations that coloured points attend to most', page: 'sagan', at: 'figure-look' },
  C2: { shows: 'attention in translation, and its score functions', page: 'alignment', at: 'figure-alignment' },
  C3: { shows: 'a sentence read word by word', page: 'reading', at: 'figure-reading' },
  C4: { shows: 'queries, keys, softmax and values as matrices with their sizes', page: 'opened', at: 'figure-opened' },
  C5: { shows: 'the module f, g, h with its residual scale', page: 'sagan', at: 'figure-module' },
  C6: { shows: 'the spectral norm', page: 'sagan', at: 'figure-norm' },
  C7: { shows: 'curves of training: plain, normalised, two time scales', page: 'sagan', at: 'figure-gan' },
  C8: { shows: 'samples of those three', page: 'sagan', at: 'figure-gan' },
  C9: {
    shows: 'where attention sits, against a residual block',
    page: 'sagan',
    at: 'figure-places',
    but: 'the distances are the published ones, because training takes weeks; the grid and its positions are computed',
  },

  D1: { shows: 'parts of a picture explain each other', page: 'image-transformer', at: 'figure-attention' },
  D2: { shows: 'words of a sentence attend to each other', page: 'transformer', at: 'figure-maps' },
  D3: { shows: 'one context vector, and how it forgets', page: 'alignment', at: 'figure-vector' },
  D4: { shows: 'additive attention between encoder and decoder', page: 'alignment', at: 'figure-alignment' },
  D5: { shows: 'the alignment matrix', page: 'alignment', at: 'figure-alignment' },
  D6: { shows: 'reading with attention within the sentence', page: 'reading', at: 'figure-reading' },
  D7: { shows: 'a caption, word by word, with the locations that the model attends to', page: 'captions', at: 'figure-tell' },
  D8: { shows: 'global and local attention', page: 'alignment', at: 'figure-alignment' },
  D9: { shows: 'many heads', page: 'transformer', at: 'figure-maps' },
  'D10 to D12': { shows: 'encoder, decoder, the complete model', page: 'opened', at: 'figure-opened' },
  D13: { shows: 'SNAIL: causal convolutions with attention between', page: 'snail', at: 'figure-layers' },
  D14: { shows: 'convolution and self-attention: the regions that they see', page: 'same-digit', at: 'figure-reach' },
  D15: { shows: 'the module of SAGAN', page: 'sagan', at: 'figure-module' },
  D16: { shows: 'samples of SAGAN', page: 'sagan', at: 'figure-sheet' },
  D17: { shows: 'the table of score functions', page: 'alignment', at: 'figure-scores' },
  D18: { shows: 'soft and hard attention', page: 'captions', at: 'figure-compare' },

  E1: { shows: 'a batting order: players as keys, positions as queries', page: 'alignment', at: 'figure-batting' },
  E2: { shows: 'the best choice depends on the other choices', page: 'structure', at: 'figure-batting' },
  E3: { shows: 'soft heads, marginals of a structure', page: 'structure', at: 'figure-parents' },
  E4: { shows: 'attention as an expectation over the chosen structure', page: 'structure', at: 'figure-sixteen' },
  E5: { shows: 'the whole Transformer', page: 'opened', at: 'figure-opened' },
  E6: { shows: 'heads that learn different relations', page: 'transformer', at: 'figure-maps' },
  E7: { shows: 'the context of a word as a mixture', page: 'alignment', at: 'figure-alignment' },
  E8: { shows: 'the same words in another order, without positions', page: 'transformer', at: 'figure-shuffle' },
  E9: { shows: 'HMM, MEMM, CRF: graphs, normalisation, label bias', page: 'chains', at: 'figure-ribrob' },
};
