// SPDX-License-Identifier: MIT
// Declares <next-pixel> for Solid: import type {} from 'nextpixel/solid'

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
  'on:nx-ready'?: (event: NextPixelReadyEvent) => void;
  'on:nx-progress'?: (event: NextPixelProgressEvent) => void;
  'on:nx-step'?: (event: NextPixelStepEvent) => void;
  'on:nx-end'?: (event: NextPixelEndEvent) => void;
  'on:nx-error'?: (event: NextPixelErrorEvent) => void;
}

declare module 'solid-js/jsx-runtime' {
  namespace JSX {
    interface IntrinsicElements {
      'next-pixel': Omit<HTMLAttributes<NextPixelElement>, keyof NextPixelAttributes> & NextPixelAttributes & Listeners;
    }
  }
}
