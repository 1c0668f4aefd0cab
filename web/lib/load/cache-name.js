// SPDX-License-Identifier: MIT
// @ts-check

/** Name of the cache with the weight files. @internal */
export const CACHE_NAME = 'nextpixel';
