// A phone without an app whose browser is WebKitGTK, which has no passkeys.

import { testsIn } from './support/other-phones.mjs'
import { webKitDriver } from './support/tools.mjs'
import { startWebKit } from './support/webkit.mjs'

const isThere = Boolean(webKitDriver())

testsIn({
  name: 'WebKitGTK',
  missing: () => !isThere && 'no WebKitWebDriver, Xvfb or Python bindings',
  start: startWebKit,
  refusals: [/status of 409/],
})
