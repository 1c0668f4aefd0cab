/* SPDX-License-Identifier: MIT
 *
 * Every architecture: a row for each file of this folder, whose last lines define nx_NAME. A build of a few of them
 * (./build.sh wasm --models fvsbn) defines NX_MODELS itself.
 */
#ifndef NX_MODELS
#define NX_MODELS                                                                                                                          \
    NX_MODEL(image_transformer) /* Parmar et al. 2018, arXiv:1802.05751 */                                                                 \
    NX_MODEL(fvsbn)             /* Frey, Hinton, Dayan 1996; Gan et al. 2015 */                                                            \
    NX_MODEL(llama)             /* Touvron et al. 2023, arXiv:2302.13971 */
#endif
