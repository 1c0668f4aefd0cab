// SPDX-License-Identifier: MIT
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import 'nextpixel/define';
import type {} from 'nextpixel/react';

function App() {
  const [digit, setDigit] = useState('7');
  const [said, setSaid] = useState('');
  return (
    <main>
      <p>
        {['3', '7', '8'].map((name) => (
          <button key={name} aria-pressed={name === digit} onClick={() => setDigit(name)}>{name}</button>
        ))}
      </p>
      <next-pixel
        model="digits.gguf" task="generate" label={digit} samples={3} seed="7" width={440} height={140} autoplay
        onnx-end={({ nats }) => setSaid(`drawn ${digit}: ${nats.map((cost) => cost.toFixed(1)).join(', ')} nats`)}
        onnx-error={({ error }) => setSaid(error.message)}
      />
      <p><output>{said}</output></p>
    </main>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
