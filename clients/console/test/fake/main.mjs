// Starts the fake server and prints its link: npm run fake -- [SIZE] [--read-only]

import { startFake } from './server.mjs'

const size = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 100_000)
const server = await startFake({ size, readOnly: process.argv.includes('--read-only'), local: true, port: 0 })
console.log(server.link())
