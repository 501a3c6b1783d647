import { mount } from 'svelte'

import { around } from '../checks.js'
import Checks from './Checks.svelte'

await around(() => mount(Checks, { target: document.getElementById('root') }))
