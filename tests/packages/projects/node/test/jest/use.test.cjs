const { use } = require(process.env.COUNTERSIGN_PROGRAM)

test('Jest loads the package', async () => {
  expect(await use(JSON.parse(process.env.COUNTERSIGN_INPUT))).toEqual(JSON.parse(process.env.COUNTERSIGN_USED))
})
