/* SPDX-License-Identifier: MIT
 *
 * The table of architectures. Each row has the NAME of an architecture and the features that it needs. The last lines of the files in this
 * folder define nx_NAME. The features are:
 *
 *   SMALL     no further features; also part of the small build for pictures only, whose maximum size is documented (./build.sh size)
 *   PICTURES  no further features
 *   TEXTS     the features of NX_TEXTS (kernels/kernels.h): weights packed by block, filters and penalties, searches, guesses, and maps of
 *             the encoder's attention
 *
 * For a build with only some architectures (./build.sh wasm --models fvsbn), build.sh copies their rows from this table and defines
 * NX_MODELS itself.
 */
#ifndef NX_MODELS
#define NX_MODELS                                                                                                                          \
    NX_MODEL(image_transformer, SMALL)  /* Parmar et al. 2018, arXiv:1802.05751 */                                                         \
    NX_MODEL(fvsbn, SMALL)              /* Frey, Hinton, Dayan 1996; Gan et al. 2015 */                                                    \
    NX_MODEL(pixelcnn, PICTURES)        /* van den Oord, Kalchbrenner, Kavukcuoglu 2016, arXiv:1601.06759 */                               \
    NX_MODEL(gated_pixelcnn, PICTURES)  /* van den Oord et al. 2016, arXiv:1606.05328 */                                                   \
    NX_MODEL(wavenet, TEXTS)            /* van den Oord et al. 2016, arXiv:1609.03499 */                                                   \
    NX_MODEL(llama, TEXTS)              /* Touvron et al. 2023, arXiv:2302.13971 */                                                        \
    NX_MODEL(qwen2, TEXTS)              /* Yang et al. 2024, arXiv:2407.10671; in llama.c */                                               \
    NX_MODEL(qwen3, TEXTS)              /* Yang et al. 2025, arXiv:2505.09388; in llama.c */                                               \
    NX_MODEL(gemma3, TEXTS)             /* Gemma Team 2025, arXiv:2503.19786; in llama.c */                                                \
    NX_MODEL(gemma2, TEXTS)             /* Gemma Team 2024, arXiv:2408.00118; in llama.c */                                                \
    NX_MODEL(gemma, TEXTS)              /* Gemma Team 2024, arXiv:2403.08295; in llama.c */                                                \
    NX_MODEL(olmo2, TEXTS)              /* OLMo Team 2024, arXiv:2501.00656; in llama.c */                                                 \
    NX_MODEL(exaone4, TEXTS)            /* LG AI Research 2025, arXiv:2507.11407; in llama.c */                                            \
    NX_MODEL(exaone, TEXTS)             /* LG AI Research 2024, arXiv:2412.04862; in llama.c */                                            \
    NX_MODEL(smollm3, TEXTS)            /* Hugging Face 2025; in llama.c */                                                                \
    NX_MODEL(granite, TEXTS)            /* IBM 2024; in llama.c */                                                                         \
    NX_MODEL(phi3, TEXTS)               /* Abdin et al. 2024, arXiv:2404.14219; in llama.c */                                              \
    NX_MODEL(ernie4_5, TEXTS)           /* Baidu 2025; in llama.c */                                                                       \
    NX_MODEL(gpt2, TEXTS)               /* Radford et al. 2019 */                                                                          \
    NX_MODEL(sparse_transformer, TEXTS) /* Child et al. 2019, arXiv:1904.10509 */                                                          \
    NX_MODEL(transformer, TEXTS)        /* Vaswani et al. 2017, arXiv:1706.03762 */                                                        \
    NX_MODEL(seq2seq, TEXTS)            /* Sutskever et al. 2014; Bahdanau et al. 2015; Luong et al. 2015 */                               \
    NX_MODEL(show_attend_tell, TEXTS)   /* Xu et al. 2015, arXiv:1502.03044 */                                                             \
    NX_MODEL(lstmn, TEXTS)              /* Cheng, Dong, Lapata 2016, arXiv:1601.06733 */                                                   \
    NX_MODEL(chain, TEXTS)              /* Rabiner 1989; McCallum et al. 2000; Lafferty et al. 2001 */                                     \
    NX_MODEL(tree, TEXTS)               /* Eisner 1996; Kim et al. 2017, arXiv:1702.00887 */                                               \
    NX_MODEL(snail, TEXTS)              /* Mishra, Rohaninejad, Chen, Abbeel 2018, arXiv:1707.03141 */                                     \
    NX_MODEL(sagan, TEXTS)              /* Zhang, Goodfellow, Metaxas, Odena 2019, arXiv:1805.08318 */                                     \
    NX_MODEL(jukebox, TEXTS)            /* Dhariwal et al. 2020, arXiv:2005.00341 */
#endif
