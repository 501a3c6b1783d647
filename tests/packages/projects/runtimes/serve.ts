// Deno and Bun run this file unchanged. It prints the port.

import { answer } from './web.ts'

declare const Deno: { serve(options: object, answer: (request: Request) => Promise<Response>): unknown } | undefined
declare const Bun: { serve(options: object): { port: number } } | undefined

const address = { hostname: '127.0.0.1', port: 0 }
const announce = ({ port }: { port: number }) => { console.log(JSON.stringify({ port })) }
if (typeof Deno !== 'undefined') Deno.serve({ ...address, onListen: announce }, answer)
else if (typeof Bun !== 'undefined') announce(Bun.serve({ ...address, fetch: answer }))
