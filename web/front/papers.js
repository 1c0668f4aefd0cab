// SPDX-License-Identifier: MIT
// The papers in order of time, and the system that each has here. One with a page has its folder in web/pages and a card on the front page;
// the others are still to come.
// @ts-check

/**
 * @typedef {Object} Pictures from nothing, drawn on the card; still.png in the page's folder shows the same ones
 * @property {string} file of weights
 * @property {number} seed
 * @property {number} samples
 * @property {number} temperature
 * @property {string} [label]
 * @property {true} [passes] tinted by the passes of the model that drew it
 */
/**
 * @typedef {Object} Paper
 * @property {number} year
 * @property {string} by
 * @property {string} title
 * @property {string} url
 * @property {string} system what it is called here
 * @property {string} [page] its folder in web/pages
 * @property {string} [shownOn] folder of another paper's page, which plays its system too
 * @property {string} [credit] on the card, in place of authors and year
 * @property {string} [says] what the page shows
 * @property {Pictures} [pictures] on its card
 * @property {true} [colourful] its pictures have colours of their own, not the inks of the page
 */

/** @type {Paper[]} */
export const PAPERS = [
  { year: 1996, by: 'Frey, Hinton, Dayan', title: 'Does the wake-sleep algorithm produce good density estimators?', url: 'https://papers.nips.cc/paper/1153-does-the-wake-sleep-algorithm-produce-good-density-estimators', system: 'Fully visible sigmoid belief network', page: 'fvsbn', says: 'No hidden layer at all: every pixel votes on the ones after it, and all 306,936 votes can be looked at.', pictures: { file: 'fvsbn.gguf', seed: 1, samples: 6, temperature: 1 } },
  { year: 2001, by: 'Lafferty, McCallum, Pereira', title: 'Conditional random fields: probabilistic models for segmenting and labeling sequence data', url: 'https://repository.upenn.edu/handle/20.500.14332/6188', system: 'Chains: HMM, MEMM, CRF', page: 'chains', says: 'Three taggers side by side. Pin a word and its neighbours follow; and a machine that goes wrong because each step is normalised by itself.' },
  { year: 2014, by: 'Bahdanau, Cho, Bengio', title: 'Neural machine translation by jointly learning to align and translate', url: 'https://arxiv.org/abs/1409.0473', system: 'Alignment: additive attention and its kin', page: 'alignment', says: 'One German sentence through five recurrent networks that differ in how they score a word. Every cell is its equation; and players to drag.' },
  { year: 2015, by: 'Xu et al.', title: 'Show, attend and tell: neural image caption generation with visual attention', url: 'https://arxiv.org/abs/1502.03044', system: 'Captions, with soft and hard attention', page: 'captions', colourful: true, says: 'Drag a few things onto a scene, and a network says what it shows, with a light on the place of each word. Soft attention beside hard, and the light in your hand.' },
  { year: 2015, by: 'Luong, Pham, Manning', title: 'Effective approaches to attention-based neural machine translation', url: 'https://arxiv.org/abs/1508.04025', system: 'Global and local attention', shownOn: 'alignment' },
  { year: 2016, by: 'van den Oord, Kalchbrenner, Kavukcuoglu', title: 'Pixel recurrent neural networks', url: 'https://arxiv.org/abs/1601.06759', system: 'PixelCNN', page: 'pixelcnn', says: 'Masked convolutions, the spot that they leave blind, and the gates and second stack that see it. Point at a pixel: what may it see?', pictures: { file: 'pixelcnn-digits.gguf', seed: 1, samples: 6, temperature: 1 } },
  { year: 2016, by: 'Cheng, Dong, Lapata', title: 'Long short-term memory-networks for machine reading', url: 'https://arxiv.org/abs/1601.06733', system: 'Reading with a memory', page: 'reading', says: 'An LSTM that keeps every word it has read, and looks back. Beside it, the self-attention of a decoder, on a sentence of yours.' },
  { year: 2016, by: 'van den Oord et al.', title: 'Conditional image generation with PixelCNN decoders', url: 'https://arxiv.org/abs/1606.05328', system: 'The same digit, every way', credit: 'Six papers, 1996 to 2019', page: 'same-digit', says: 'Six models, from FVSBN to the Sparse Transformer, finish the same half digit with the same dice, side by side, in nats and microseconds.', pictures: { file: 'gated-pixelcnn-digits.gguf', seed: 1, samples: 6, temperature: 1 } },
  { year: 2016, by: 'van den Oord et al.', title: 'WaveNet: a generative model for raw audio', url: 'https://arxiv.org/abs/1609.03499', system: 'WaveNet', page: 'wavenet', says: 'A digit, spoken while it is drawn, sample by sample. Dilated layers as trees, the queues behind them, the probabilities of the next sample, and your voice going on.' },
  { year: 2017, by: 'Kim, Denton, Hoang, Rush', title: 'Structured attention networks', url: 'https://arxiv.org/abs/1702.00887', system: 'Structured attention', page: 'structure', says: 'Every word of your sentence points at its parent, the softer the less sure. Pin one, and another word changes its parent; and German read letter by letter, by a softmax, by bits and by a chain of them.' },
  { year: 2017, by: 'Vaswani et al.', title: 'Attention is all you need', url: 'https://arxiv.org/abs/1706.03762', system: 'Transformer', page: 'transformer', says: 'German becomes English while you type. Which word looked at which, what positions are for, and how beams search.' },
  { year: 2017, by: 'Vaswani et al.', title: 'Attention is all you need', url: 'https://arxiv.org/abs/1706.03762', system: 'The Transformer, opened', page: 'opened', says: 'So small that every number is on the screen. Open a box, point at a number, see the sum that made it; walk through a step, and break it.' },
  { year: 2017, by: 'Mishra, Rohaninejad, Chen, Abbeel', title: 'A simple neural attentive meta-learner', url: 'https://arxiv.org/abs/1707.03141', system: 'SNAIL', page: 'snail', says: 'Draw five signs, one example each, then a sixth: which is it, and where did the network look? Or play against it.' },
  { year: 2017, by: 'van den Oord, Vinyals, Kavukcuoglu', title: 'Neural discrete representation learning', url: 'https://arxiv.org/abs/1711.00937', system: 'VQ-VAE, sound by codes', page: 'jukebox', says: 'A spoken digit becomes two rows of codes and a sound again, each stage to be heard. Transformers draw such codes, and a digit is spoken. Say one yourself, and paint with the codebook.' },
  { year: 2018, by: 'Parmar et al.', title: 'Image Transformer', url: 'https://arxiv.org/abs/1802.05751', system: 'Image Transformer', page: 'image-transformer', says: 'Finishes digits. How probable is a pixel, what does a surprise cost, and where did it look?', pictures: { file: 'digits.gguf', seed: 1, samples: 6, temperature: 0.9 } },
  { year: 2018, by: 'Parmar et al.', title: 'Image Transformer', url: 'https://arxiv.org/abs/1802.05751', system: 'In colour', page: 'colour', colourful: true, says: 'Emoji and photographs, yours if you like: completed, drawn to order, and enlarged from sixty-four pixels.', pictures: { file: 'emoji.gguf', seed: 2, samples: 6, temperature: 1, label: 'Noto 2018' } },
  { year: 2018, by: 'Zhang, Goodfellow, Metaxas, Odena', title: 'Self-attention generative adversarial networks', url: 'https://arxiv.org/abs/1805.08318', system: 'SAGAN', page: 'sagan', says: 'A whole picture at once. Drag between four faces, point at a place and see where it looked, and watch power iteration find what a matrix can stretch.', colourful: true },
  { year: 2019, by: 'Child, Gray, Radford, Sutskever', title: 'Generating long sequences with sparse transformers', url: 'https://arxiv.org/abs/1904.10509', system: 'Sparse attention', page: 'sparse', says: 'A few keys, near ones and far ones, reach everything in two layers. Point at a row of the pattern; measure what a step costs by length.', pictures: { file: 'sparse-digits.gguf', seed: 1, samples: 6, temperature: 1 } },
  { year: 2019, by: 'Child, Gray, Radford, Sutskever', title: 'Generating long sequences with sparse transformers', url: 'https://arxiv.org/abs/1904.10509', system: 'A chorale, voice by voice', page: 'chorale', says: 'Press keys and three voices answer, note by note. The probability of your next note on the keys, and what attention looked at as arcs over the roll.' },
  { year: 2020, by: 'Wiggers, Hoogeboom', title: 'Predictive sampling with forecasting autoregressive models', url: 'https://arxiv.org/abs/2002.09928', system: 'Guess ahead, check, keep', page: 'look-ahead', says: 'A tiny network runs ahead of a large one. The same picture, to the last bit, in fewer passes.', pictures: { file: 'digits.gguf', seed: 10, samples: 1, temperature: 1, passes: true } },
  { year: 2023, by: 'Touvron et al.', title: 'LLaMA: open and efficient foundation language models', url: 'https://arxiv.org/abs/2302.13971', system: 'Tokens', page: 'tokens', says: 'A tale that writes itself, with the probability of every word, what might have been, and where it looked. Or run a model of your own.' },
  { year: 2023, by: 'Touvron et al.', title: 'Llama 2: open foundation and fine-tuned chat models', url: 'https://arxiv.org/abs/2307.09288', system: 'Chat', page: 'chat', says: 'Talk with a language model of your own file. Every answer by its surprise, what might have been, and what was read anew; until you bring one, a small one tells a tale with you.' },
];
