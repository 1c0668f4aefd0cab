// SPDX-License-Identifier: MIT
// Declares <next-pixel> for React: import type {} from 'nextpixel/react'

import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type {
  NextPixelElement,
  NextPixelEndEvent,
  NextPixelErrorEvent,
  NextPixelProgressEvent,
  NextPixelReadyEvent,
  NextPixelStepEvent,
} from '../types/element.js';
import type { NextPixelAttributes } from './attributes.js';

/** The event listeners that React 19 passes to addEventListener(). */
interface Listeners {
  'onnx-ready'?: (event: NextPixelReadyEvent) => void;
  'onnx-progress'?: (event: NextPixelProgressEvent) => void;
  'onnx-step'?: (event: NextPixelStepEvent) => void;
  'onnx-end'?: (event: NextPixelEndEvent) => void;
  'onnx-error'?: (event: NextPixelErrorEvent) => void;
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'next-pixel': DetailedHTMLProps<HTMLAttributes<NextPixelElement>, NextPixelElement> &
        NextPixelAttributes &
        Listeners & { class?: string };
    }
  }
}
