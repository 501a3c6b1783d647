// Starts `countersign console` beside a server or for a table, as an operator does in a terminal.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { countersign } from './tools.mjs'

const LINK = /(http:\/\/127\.0\.0\.1:\d+)\/#(code=\S+)/

/** Starts the console with these options, such as `--data DIR` or `--read-only`, and waits for its link. */
export async function startConsole(options, env = {}) {
  const words = ['console', '--no-browser', ...options]
  const child = spawn(countersign(), words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const ended = once(child, 'exit')
  let said = ''
  const link = new Promise((resolve) => {
    child.stderr.on('data', (text) => { said += text })
    child.stdout.on('data', (text) => {
      said += text
      const found = LINK.exec(said)
      if (found !== null) resolve(found)
    })
  })
  const found = await Promise.race([link, ended.then(() => null)])
  if (found === null) throw new Error(`the console did not start:\n${said}`)
  const [, url, code] = found
  return {
    /** The console's origin. */
    url,
    /** Returns the link with the run's only code, to a screen. */
    link: (path = '/') => `${url}${path}#${code}`,
    /** Stops it as Ctrl-C does, and returns its exit code. */
    async stop() {
      if (child.exitCode === null) child.kill('SIGINT')
      return (await ended)[0]
    },
  }
}
