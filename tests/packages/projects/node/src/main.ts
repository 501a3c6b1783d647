import { use } from './use.js'

use(JSON.parse(process.argv[2] ?? '')).then((used) => { console.log(JSON.stringify(used)) }, (error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
