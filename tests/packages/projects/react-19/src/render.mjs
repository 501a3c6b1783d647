// Renders a component on a server: node render.mjs KIND PROPS.

import { CountersignLogin, CountersignPhone, CountersignSetup } from '@countersign/widget/react'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'

const [kind, props] = process.argv.slice(2)
const { start, ...rest } = JSON.parse(props)
const given = start === 'function' ? { ...rest, start: () => {} } : { ...rest, start }
console.log(renderToString(createElement({ login: CountersignLogin, phone: CountersignPhone, setup: CountersignSetup }[kind], given)))
