import { createApp } from 'vue'

import { around } from '../checks.js'
import Checks from './Checks.vue'

await around(() => createApp(Checks).mount('#root'))
