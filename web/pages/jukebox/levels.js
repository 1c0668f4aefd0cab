// SPDX-License-Identifier: MIT
// Decodes recordings as the page stores them.
// @ts-check

/** Decodes base64 mu-law levels to samples. @param {string} text */
export function samplesOf(text) {
  return Float32Array.from(atob(text), (letter) => {
    const y = (letter.charCodeAt(0) / 255) * 2 - 1;
    return (Math.sign(y) * (256 ** Math.abs(y) - 1)) / 255;
  });
}
