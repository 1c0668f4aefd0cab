// SPDX-License-Identifier: MIT
import { createApp } from 'vue';
import 'nextpixel/define';

import App from './App.vue';

createApp(App).mount('#root');
