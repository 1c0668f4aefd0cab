// SPDX-License-Identifier: MIT
// Declares <next-pixel> for Preact: import type {} from 'nextpixel/preact'

import type {
  NextPixelElement,
  NextPixelEndEvent,
  NextPixelErrorEvent,
  NextPixelProgressEvent,
  NextPixelReadyEvent,
  NextPixelStepEvent,
} from '../types/element.js';
import type { NextPixelAttributes } from './attributes.js';

interface Listeners {
  'onnx-ready'?: (event: NextPixelReadyEvent) => void;
  'onnx-progress'?: (event: NextPixelProgressEvent) => void;
  'onnx-step'?: (event: NextPixelStepEvent) => void;
  'onnx-end'?: (event: NextPixelEndEvent) => void;
  'onnx-error'?: (event: NextPixelErrorEvent) => void;
}

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'next-pixel': Omit<HTMLAttributes<NextPixelElement>, keyof NextPixelAttributes> & NextPixelAttributes & Listeners;
    }
  }
}
