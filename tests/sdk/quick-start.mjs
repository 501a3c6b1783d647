// Runs the quick start of the Kotlin SDK on the JVM. As a program, it prints what terminals show of a login:
// `node tests/sdk/quick-start.mjs`. Run clients/sdk/kotlin/bindings.sh and `mvn test-compile` first.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { startServer } from '../browser/support/server.mjs'
import { countersign, ROOT } from '../browser/support/tools.mjs'

const MODULE = join(ROOT, 'clients/sdk/kotlin/svc-core')

/** Opens a link with the quick start as a new phone, and returns its exit code and output. */
export async function quickStart(server, link, answer) {
  const phone = await mkdtemp(join(tmpdir(), 'countersign-sdk-'))
  try {
    const classpath = await readFile(join(MODULE, 'target/classpath'), 'utf8')
    const child = spawn('java', [
      `-Djna.library.path=${join(dirname(countersign()), 'deps')}`,
      '-classpath',
      ['target/classes', 'target/test-classes', classpath.trim()].join(':'),
      'dev.countersign.sdk.example.QuickStartKt',
      server.url,
      new URL(link).host,
      server.demo.appKey,
      link,
      phone,
    ], { cwd: MODULE })
    child.stdin.end(`${answer}\n`)
    return await output(child)
  } finally {
    await rm(phone, { recursive: true, force: true })
  }
}

/** Returns what the app's server and the phone show of a confirmed login. */
export async function transcript() {
  const server = await startServer()
  try {
    const words = ['--data', server.data, 'login', 'start', '--wait']
    const start = spawn(countersign(), words, { stdio: ['ignore', 'pipe', 'pipe'] })
    const answered = output(start)
    const link = await firstLink(start)
    const phone = await quickStart(server, link, 'y')
    const { code, out, err } = await answered
    if (phone.code !== 0 || code !== 0) throw new Error(phone.err + err)
    const host = new URL(link).host
    return `$ countersign login start --wait &
${link}
$ java QuickStartKt ${server.url} ${host} ${server.demo.appKey} '${link}' phone
${phone.out.replace('\n', '\ny\n')}${out}`
  } finally {
    await server.stop()
  }
}

/** Returns the exit code and the output of a program. */
async function output(child) {
  const said = { out: '', err: '' }
  child.stdout.on('data', (text) => { said.out += text })
  child.stderr.on('data', (text) => { said.err += text })
  const [code] = await once(child, 'close')
  return { code, ...said }
}

/** Waits for the link under the code in the terminal. */
function firstLink(child) {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (text) => {
      said += text
      const link = /^(https?:\S+)\n/m.exec(said)
      if (link) resolve(link[1])
    })
    child.once('close', () => reject(new Error(`no link:\n${said}`)))
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await transcript())
