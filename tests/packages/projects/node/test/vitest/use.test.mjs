import { expect, test } from 'vitest'

import { use } from '../../src/use.js'

test('Vitest loads the package', async () => {
  expect(await use(JSON.parse(process.env.COUNTERSIGN_INPUT))).toEqual(JSON.parse(process.env.COUNTERSIGN_USED))
})
