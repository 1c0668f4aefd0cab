// SPDX-License-Identifier: MIT
'use client'; // Needs digits.gguf in public/.

import { useEffect, useState } from 'react';

export function Digits() {
  const [digit, setDigit] = useState('7');
  const [said, setSaid] = useState('');
  const [ready, setReady] = useState(false);
  // The element is created only in the browser: it needs a document, and React does not set the on... properties of an element that the
  // server has already rendered.
  useEffect(() => { import('nextpixel/define').then(() => setReady(true)); }, []);
  return (
    <>
      <p>
        {['3', '7', '8'].map((name) => (
          <button key={name} aria-pressed={name === digit} onClick={() => setDigit(name)}>{name}</button>
        ))}
      </p>
      <div style={{ width: 440, height: 140 }}>
        {ready && (
          <next-pixel
            model="/digits.gguf" task="generate" label={digit} samples={3} seed="7" width={440} height={140} autoplay
            onnx-end={({ nats }) => setSaid(`drawn ${digit}: ${nats.map((cost) => cost.toFixed(1)).join(', ')} nats`)}
            onnx-error={({ error }) => setSaid(error.message)}
          />
        )}
      </div>
      <p><output>{said}</output></p>
    </>
  );
}
