// SPDX-License-Identifier: MIT
// Declares <next-pixel> for Vue's templates and JSX: import type {} from 'nextpixel/vue'

import type { DefineComponent, HTMLAttributes } from 'vue';
import type {
  NextPixelEndEvent,
  NextPixelErrorEvent,
  NextPixelProgressEvent,
  NextPixelReadyEvent,
  NextPixelStepEvent,
} from '../types/element.js';
import type { NextPixelAttributes } from './attributes.js';

interface Listeners {
  onNxReady?: (event: NextPixelReadyEvent) => void;
  onNxProgress?: (event: NextPixelProgressEvent) => void;
  onNxStep?: (event: NextPixelStepEvent) => void;
  onNxEnd?: (event: NextPixelEndEvent) => void;
  onNxError?: (event: NextPixelErrorEvent) => void;
}

type Props = HTMLAttributes & NextPixelAttributes & Listeners;

declare module 'vue' {
  interface GlobalComponents {
    'next-pixel': DefineComponent<Props>;
  }
}
declare module 'vue/jsx-runtime' {
  namespace JSX {
    interface IntrinsicElements {
      'next-pixel': Props;
    }
  }
}
