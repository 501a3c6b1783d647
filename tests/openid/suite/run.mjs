// Runs the basic plan of the OpenID Foundation's conformance suite against the built server. compose.yaml starts the suite.
// A browser visits the pages that the suite asks for, and the number sends its texts. Fails if a module has another result
// than expected.mjs says. Reports are saved in the folder that is given as argument.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { startBrowser } from '../../browser/support/page.mjs'
import { EXPECTED } from './expected.mjs'
import { HOST, startProvider } from './provider.mjs'
import { Suite } from './suite.mjs'

const SUITE = process.env.COUNTERSIGN_SUITE ?? 'https://localhost.emobix.co.uk:8443'
const PLAN = 'oidcc-basic-certification-test-plan'
const ALIAS = 'countersign'
const NUMBER = '+12025550100'
const TIME_LIMIT = 240_000

const reports = process.argv[2] ?? 'target/openid-suite'

const suite = await Suite.ready(SUITE)
const provider = await startProvider(`${SUITE}/test/a/${ALIAS}/callback`)
const names = [HOST, new URL(SUITE).hostname].map((name) => `MAP ${name} 127.0.0.1`)
const browser = await startBrowser('wide', [`--host-resolver-rules=${names}`])
try {
  const [first, second] = provider.clients.map(({ clientId, clientSecret }) => ({ client_id: clientId, client_secret: clientSecret }))
  const plan = await suite.createPlan(PLAN, { server_metadata: 'discovery', client_registration: 'static_client' }, {
    alias: ALIAS,
    server: { discoveryUrl: `${provider.issuer}/.well-known/openid-configuration` },
    client: first,
    client_secret_post: first,
    client2: second,
  })
  const unexpected = []
  for (const module of plan.modules) {
    const { status, result } = await run(plan.id, module)
    const name = module.testModule.replace(/^oidcc-/, '')
    const expected = EXPECTED[name] ?? ['PASSED', 'WARNING', 'REVIEW']
    const fits = status === 'FINISHED' && expected.includes(result)
    console.log(`${fits ? 'ok' : 'NOT EXPECTED'}: ${module.testModule}: ${status} ${result}`)
    if (!fits) unexpected.push(module.testModule)
  }
  mkdirSync(reports, { recursive: true })
  writeFileSync(join(reports, 'plan.zip'), await suite.report(plan.id))
  console.log(unexpected.length ? `unexpected results: ${unexpected.join(', ')}` : `${plan.modules.length} modules as expected`)
  process.exitCode = unexpected.length ? 1 : 0
} finally {
  await browser.close()
  await provider.stop()
}

/** Runs a module to its end, and returns its status and result. */
async function run(plan, module) {
  const id = await suite.createTest(plan, module)
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  const until = Date.now() + TIME_LIMIT
  try {
    for (;;) {
      const info = await suite.info(id)
      if (['FINISHED', 'INTERRUPTED'].includes(info.status)) return info
      if (Date.now() > until) return { status: 'took too long in', result: info.status }
      const [visit] = await suite.visits(id)
      if (visit) {
        await suite.visited(id, visit.url)
        await go(page, visit)
      }
      // A module that asks for a picture waits until it has one.
      for (const wanted of await suite.picturesWanted(id)) await suite.upload(id, wanted, await page.screenshot())
      // sleep: the pace of the requests. Nothing tells when a module goes on.
      if (!visit) await new Promise((resolve) => setTimeout(resolve, 500))
    }
  } finally {
    await context.close()
  }
}

/** Visits an address as a person who logs in there. */
async function go(page, { url, method }) {
  if (method === 'POST') await post(page, url)
  else await page.goto(url)
  const code = page.getByText(/CS-\w{6,}/).first()
  const back = page.waitForURL((now) => now.href.startsWith(`${SUITE}/`))
  const failed = page.locator('#openid-error')
  const shown = await Promise.race([
    code.waitFor().then(() => 'page'), back.then(() => 'back'), failed.waitFor().then(() => 'error'),
  ].map((one) => one.catch((error) => ({ error }))))
  if (shown.error) throw shown.error
  if (shown === 'page') {
    await provider.text((await code.innerText()).match(/CS-\w+/)[0], NUMBER)
    await back
  }
  // The suite's page sends what it received to the suite.
  await page.waitForLoadState('networkidle')
}

/** Sends the parameters of an address as a form. */
async function post(page, url) {
  const { origin, pathname, searchParams } = new URL(url)
  await page.goto('about:blank')
  await page.evaluate(([action, fields]) => {
    const form = Object.assign(document.createElement('form'), { action, method: 'post' })
    for (const [name, value] of fields) form.append(Object.assign(document.createElement('input'), { name, value }))
    document.body.append(form)
    form.submit()
  }, [origin + pathname, [...searchParams]])
}
