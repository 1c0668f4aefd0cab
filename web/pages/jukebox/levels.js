// SPDX-License-Identifier: MIT
// Decodes the recordings embedded in the page.
// @ts-check

/** Decodes base64-encoded mu-law levels to samples. @param {string} text */
export function samplesOf(text) {
  return Float32Array.from(atob(text), (letter) => {
    const y = (letter.charCodeAt(0) / 255) * 2 - 1;
    return (Math.sign(y) * (256 ** Math.abs(y) - 1)) / 255;
  });
}
