// The protocol's own client libraries, each beside a `countersign mcp` of its own.

import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'

import { countersign } from '../../browser/support/tools.mjs'

const SELF = { name: 'tests', version: '1.0.0' }

/** The libraries in use: the first version, and the second with the protocol of 2025 and that of 2026. */
export const LIBRARIES = {
  'sdk 1.x': () => [new Client1(SELF), Stdio1],
  'client 2.x, initialize': () => [new Client2(SELF), Stdio2],
  'client 2.x, discover': () => [new Client2(SELF, { versionNegotiation: { mode: 'auto' } }), Stdio2],
}

/** Starts `countersign mcp` on the data of a server, and connects a client to it. */
export async function connect(library, data, options = []) {
  const [client, Transport] = LIBRARIES[library]()
  const transport = new Transport({
    command: countersign(),
    args: ['--data', data, 'mcp', ...options],
    stderr: 'pipe',
  })
  let log = ''
  transport.stderr.on('data', (text) => { log += text })
  await client.connect(transport)
  // The clients check answers against the schemas that they have listed.
  const { tools } = await client.listTools()
  return {
    client,
    tools,
    log: () => log,
    call: (name, input = {}) => client.callTool({ name, arguments: input }),
    /** Calls a tool, and returns its answer and the tag around texts by strangers. */
    async ask(name, input = {}) {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: input })
      if (isError) throw new Error(`${name}: ${content[0].text}`)
      return structuredContent
    },
    close: () => client.close(),
  }
}
