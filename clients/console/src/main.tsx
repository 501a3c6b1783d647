import { render } from 'preact'

import { startRouting } from './shell/route.ts'
import { Start } from './shell/start.tsx'

startRouting()
const place = document.getElementById('console')
if (place !== null) render(<Start />, place)
