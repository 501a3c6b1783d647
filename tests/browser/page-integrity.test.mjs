// Pages that pin the service's scripts, with the hashes that the service lists.

import assert from 'node:assert/strict'

import { openWindow } from './support/page.mjs'
import { pageWith } from './support/site.mjs'
import { overTheServer } from './support/suite.mjs'

const pinTest = overTheServer()

const GERMAN = 'Scannen Sie diesen Code mit Ihrem Smartphone'
const BLOCKED = /Failed to find a valid digest in the 'integrity' attribute|Failed to fetch dynamically imported module/

/** Opens a German page that pins all scripts, one of them with the hash of another. */
async function open({ browser, server, site }, replaced) {
  const hashes = await (await fetch(`${server.url}/widget/integrity.json`)).json()
  if (replaced) hashes[replaced] = hashes['/widget/fr.js']
  const integrity = Object.fromEntries(Object.entries(hashes).map(([path, hash]) => [server.url + path, hash]))
  const html = pageWith(server, {
    html: 'lang="de"',
    head: `<script type="importmap">${JSON.stringify({ integrity })}</script>`,
    body: (element) => `${element}
      <countersign-setup></countersign-setup>
      <script type="module" src="${server.url}/widget/setup.js"></script>`,
  })
  const window = await openWindow(browser, [server.url, site.url])
  await window.page.goto(site.put(html))
  return window
}

/** Which of the page's elements are defined, once its scripts have run. */
const defined = (page) => page.evaluate(() => (
  ['countersign-login', 'countersign-setup'].filter((name) => customElements.get(name))
))

pinTest('files with the listed hashes run', async (own) => {
  const { page, close } = await open(own)
  assert.deepEqual(await defined(page), ['countersign-login', 'countersign-setup'])
  await page.getByText(GERMAN).first().waitFor()
  await close()
})

pinTest('file that was changed does not run', async (own) => {
  for (const [path, expected] of [['/widget.js', ['countersign-setup']], ['/widget/setup.js', ['countersign-login']]]) {
    const { page, close } = await open(own, path)
    assert.deepEqual(await defined(page), expected)
    await close(BLOCKED)
  }
})

pinTest('language that was changed is not used', async (own) => {
  const { page, close } = await open(own, '/widget/de.js')
  await page.getByText('Scan this code with your phone').first().waitFor()
  assert.equal(await page.getByText(GERMAN).count(), 0)
  await close(BLOCKED)
})
