// SPDX-License-Identifier: MIT
// Lists the papers by year, each with its system in this project. If a paper has a page, the page has a folder in web/pages and a card on
// the front page. The other papers have no page yet.
// @ts-check

/**
 * @typedef {Object} Pictures pictures that a model generates without input and that are drawn on the card. still.png in the page's folder
 *   shows the same pictures
 * @property {string} file weight file
 * @property {number} seed
 * @property {number} samples
 * @property {number} temperature
 * @property {string} [label]
 * @property {true} [passes] whether the tint of each pixel shows which pass of the model drew it
 */
/**
 * @typedef {Object} Paper
 * @property {number} year
 * @property {string} by
 * @property {string} title
 * @property {string} url
 * @property {string} system name of the system in this project
 * @property {string} [page] name of the page's folder in web/pages
 * @property {string} [shownOn] folder of the page of another paper that also shows this system
 * @property {string} [credit] text on the card that replaces authors and year
 * @property {string} [says] description of the page's content
 * @property {Pictures} [pictures] pictures drawn on the card
 * @property {true} [colourful] whether the pictures keep their own colours instead of using the page's inks
 */

/** @type {Paper[]} */
export const PAPERS = [
  {
    year: 1996,
    by: 'Frey, Hinton, Dayan',
    title: 'Does the wake-sleep algorithm produce good density estimators?',
    url: 'https://papers.nips.cc/paper/1153-does-the-wake-sleep-algorithm-produce-good-density-estimators',
    system: 'Fully visible sigmoid belief network',
    page: 'fvsbn',
    says: 'No hidden layer: every pixel votes on all later pixels, and you can see all 306,936 votes.',
    pictures: { file: 'fvsbn.gguf', seed: 1, samples: 6, temperature: 1 },
  },
  {
    year: 2001,
    by: 'Lafferty, McCallum, Pereira',
    title: 'Conditional random fields: probabilistic models for segmenting and labeling sequence data',
    url: 'https://repository.upenn.edu/handle/20.500.14332/6188',
    system: 'Chains: HMM, MEMM, CRF',
    page: 'chains',
    says: 'Three taggers side by side. Pin a tag, and its neighbours may follow; see how normalising each step on its own leads to label bias.',
  },
  {
    year: 2014,
    by: 'Bahdanau, Cho, Bengio',
    title: 'Neural machine translation by jointly learning to align and translate',
    url: 'https://arxiv.org/abs/1409.0473',
    system: 'Alignment: additive attention and its kin',
    page: 'alignment',
    says: 'One German sentence through five recurrent networks that differ only in their score function. Each cell shows its equation; drag the players to change the scores.',
  },
  {
    year: 2015,
    by: 'Xu et al.',
    title: 'Show, attend and tell: neural image caption generation with visual attention',
    url: 'https://arxiv.org/abs/1502.03044',
    system: 'Captions, with soft and hard attention',
    page: 'captions',
    colourful: true,
    says: 'Drag a few emoji onto a scene, and a network captions it, with a light on the place it attends to for each word. Compare soft and hard attention, or move the light yourself.',
  },
  {
    year: 2015,
    by: 'Luong, Pham, Manning',
    title: 'Effective approaches to attention-based neural machine translation',
    url: 'https://arxiv.org/abs/1508.04025',
    system: 'Global and local attention',
    shownOn: 'alignment',
  },
  {
    year: 2016,
    by: 'van den Oord, Kalchbrenner, Kavukcuoglu',
    title: 'Pixel recurrent neural networks',
    url: 'https://arxiv.org/abs/1601.06759',
    system: 'PixelCNN',
    page: 'pixelcnn',
    says: 'Masked convolutions, their blind spot, and the gated second stack that removes it. Point at a pixel to see its receptive field.',
  },
  {
    year: 2016,
    by: 'Cheng, Dong, Lapata',
    title: 'Long short-term memory-networks for machine reading',
    url: 'https://arxiv.org/abs/1601.06733',
    system: 'Reading with a memory',
    page: 'reading',
    says: 'An LSTM that keeps every word it has read and attends to them, next to the self-attention of a decoder, on your own sentence.',
  },
  {
    year: 2016,
    by: 'van den Oord et al.',
    title: 'Conditional image generation with PixelCNN decoders',
    url: 'https://arxiv.org/abs/1606.05328',
    system: 'The same digit, every way',
    credit: 'Six papers, 1996 to 2019',
    page: 'same-digit',
    says: 'Six models, from FVSBN to the Sparse Transformer, complete the same half digit with the same noise, compared in nats and microseconds.',
  },
  {
    year: 2016,
    by: 'van den Oord et al.',
    title: 'WaveNet: a generative model for raw audio',
    url: 'https://arxiv.org/abs/1609.03499',
    system: 'WaveNet',
    page: 'wavenet',
    says: 'A spoken digit, generated sample by sample. See dilated layers as trees, their queues and the probabilities of the next sample; or let the model continue your voice.',
  },
  {
    year: 2017,
    by: 'Kim, Denton, Hoang, Rush',
    title: 'Structured attention networks',
    url: 'https://arxiv.org/abs/1702.00887',
    system: 'Structured attention',
    page: 'structure',
    says: 'Every word of your sentence points at its head; fainter arcs are less certain. Pin one, and another word changes its head. Also: German read character by character, with softmax, sigmoid and structured attention.',
  },
  {
    year: 2017,
    by: 'Vaswani et al.',
    title: 'Attention is all you need',
    url: 'https://arxiv.org/abs/1706.03762',
    system: 'Transformer',
    page: 'transformer',
    says: 'German becomes English while you type. See which word attends to which, what positions are for, and how beam search works.',
  },
  {
    year: 2017,
    by: 'Vaswani et al.',
    title: 'Attention is all you need',
    url: 'https://arxiv.org/abs/1706.03762',
    system: 'The Transformer, opened',
    page: 'opened',
    says: 'Small enough to show every number. Open a box, point at a number to see its sum, walk through one step, and switch parts off.',
  },
  {
    year: 2017,
    by: 'Mishra, Rohaninejad, Chen, Abbeel',
    title: 'A simple neural attentive meta-learner',
    url: 'https://arxiv.org/abs/1707.03141',
    system: 'SNAIL',
    page: 'snail',
    says: 'Draw one example of five characters each, then a sixth drawing: which character is it, and which example did the network attend to? Or play against it.',
  },
  {
    year: 2017,
    by: 'van den Oord, Vinyals, Kavukcuoglu',
    title: 'Neural discrete representation learning',
    url: 'https://arxiv.org/abs/1711.00937',
    system: 'VQ-VAE, sound by codes',
    page: 'jukebox',
    says: 'A spoken digit becomes two rows of codes and then sound again; listen to each stage. Transformers draw such codes, and a digit is spoken. Record your own, and paint with the codebook.',
  },
  {
    year: 2018,
    by: 'Parmar et al.',
    title: 'Image Transformer',
    url: 'https://arxiv.org/abs/1802.05751',
    system: 'Image Transformer',
    page: 'image-transformer',
    says: 'See how a model completes digits: how probable each pixel is, what a surprise costs, and where the model looked.',
    pictures: { file: 'digits.gguf', seed: 1, samples: 6, temperature: 0.9 },
  },
  {
    year: 2018,
    by: 'Parmar et al.',
    title: 'Image Transformer',
    url: 'https://arxiv.org/abs/1802.05751',
    system: 'In colour',
    page: 'colour',
    colourful: true,
    says: 'Emoji and photographs, including your own, are completed, drawn by class, and enlarged from sixty-four pixels.',
    pictures: { file: 'emoji.gguf', seed: 2, samples: 6, temperature: 1, label: 'Noto 2018' },
  },
  {
    year: 2018,
    by: 'Zhang, Goodfellow, Metaxas, Odena',
    title: 'Self-attention generative adversarial networks',
    url: 'https://arxiv.org/abs/1805.08318',
    system: 'SAGAN',
    page: 'sagan',
    says: 'A whole picture in one pass. Drag between four faces, point at a place to see its attention, and watch power iteration find the largest singular value of a matrix.',
    colourful: true,
  },
  {
    year: 2019,
    by: 'Child, Gray, Radford, Sutskever',
    title: 'Generating long sequences with sparse transformers',
    url: 'https://arxiv.org/abs/1904.10509',
    system: 'Sparse attention',
    page: 'sparse',
    says: 'A few keys, near and far, reach every position in two layers. Point at a row of the pattern; measure the cost of a step by length.',
  },
  {
    year: 2019,
    by: 'Child, Gray, Radford, Sutskever',
    title: 'Generating long sequences with sparse transformers',
    url: 'https://arxiv.org/abs/1904.10509',
    system: 'A chorale, voice by voice',
    page: 'chorale',
    says: 'Play a melody, and three voices answer note by note. The keys show the probability of your next note; arcs over the piano roll show attention.',
  },
  {
    year: 2020,
    by: 'Wiggers, Hoogeboom',
    title: 'Predictive sampling with forecasting autoregressive models',
    url: 'https://arxiv.org/abs/2002.09928',
    system: 'Guess ahead, check, keep',
    page: 'look-ahead',
    says: 'A tiny network drafts pixels for a large one. The same picture, bit for bit, in fewer passes.',
    pictures: { file: 'digits.gguf', seed: 10, samples: 1, temperature: 1, passes: true },
  },
  {
    year: 2023,
    by: 'Touvron et al.',
    title: 'LLaMA: open and efficient foundation language models',
    url: 'https://arxiv.org/abs/2302.13971',
    system: 'Tokens',
    page: 'tokens',
    says: 'A story written token by token, with every probability, every alternative and the attention behind it. Or run your own model.',
  },
  {
    year: 2023,
    by: 'Touvron et al.',
    title: 'Llama 2: open foundation and fine-tuned chat models',
    url: 'https://arxiv.org/abs/2307.09288',
    system: 'Chat',
    page: 'chat',
    says: 'Chat with a language model from your own file. See the surprisal and alternatives of every token; until you open a file, a small model continues your story.',
  },
];
