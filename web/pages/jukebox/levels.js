// SPDX-License-Identifier: MIT
// Decodes the recordings that the page contains.
// @ts-check

/** Decodes mu-law levels in base64 to samples. @param {string} text */
export function samplesOf(text) {
  return Float32Array.from(atob(text), (letter) => {
    const y = (letter.charCodeAt(0) / 255) * 2 - 1;
    return (Math.sign(y) * (256 ** Math.abs(y) - 1)) / 255;
  });
}
