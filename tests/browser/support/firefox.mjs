// Firefox, through Marionette, which is what geckodriver speaks to it: texts of JSON after their length.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

import { FOLDERS, fontsOf } from './fonts.mjs'
import { firefox } from './tools.mjs'
import { Driven } from './webdriver.mjs'

/** The browser chooses its port, asks nobody for news, starts few processes, and may read the suite's fonts. */
const SETTINGS = {
  'marionette.port': 0,
  'intl.accept_languages': 'en-GB',
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.startup.page': 0,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'browser.newtabpage.enabled': false,
  'browser.newtabpage.activity-stream.asrouter.providers.cfr': '{}',
  'datareporting.policy.dataSubmissionEnabled': false,
  'datareporting.healthreport.uploadEnabled': false,
  'extensions.getAddons.cache.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'security.webauth.webauthn_enable_usbtoken': false,
  'security.webauth.webauthn_enable_softtoken': true,
  'dom.ipc.processCount': 1,
  'dom.ipc.processPrelaunch.enabled': false,
  'layers.gpu-process.enabled': false,
  'security.sandbox.content.read_path_whitelist': FOLDERS.map((folder) => `${folder}/`).join(),
  'toolkit.telemetry.enabled': false,
}

/** The names of commands that are not WebDriver's own. */
const named = (name) => (name.includes(':') ? name : `WebDriver:${name}`)

/** Connects to Marionette. Returns a function that sends commands. */
async function connected(port) {
  const socket = connect(port, '127.0.0.1')
  const waiting = new Map()
  let received = Buffer.alloc(0)
  let last = 0
  socket.on('data', (part) => {
    received = Buffer.concat([received, part])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, Math.max(colon, 0)))
      if (colon < 0 || received.length < end) return
      const message = JSON.parse(received.subarray(colon + 1, end))
      received = received.subarray(end)
      // The first text only greets.
      if (Array.isArray(message)) waiting.get(message[1])?.(message)
    }
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return (name, params = {}) => new Promise((resolve, reject) => {
    last += 1
    waiting.set(last, ([, , error, value]) => (
      // Most results are wrapped once more.
      error ? reject(new Error(`${name}: ${error.error}: ${error.message}`)) : resolve(value && 'value' in value ? value.value : value)
    ))
    const text = JSON.stringify([0, last, named(name), params])
    socket.write(`${Buffer.byteLength(text)}:${text}`)
  })
}

/** Waits for the file in which Firefox writes its port. */
async function portOf(file) {
  for (;;) {
    const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    if (port) return port
    await new Promise((resolve) => { setTimeout(resolve, 20) }) // sleep: the file system has no events everywhere.
  }
}

/** Makes the page as large as wanted: windows of Firefox are at least 450 pixels wide. */
function resizePage(width, height) {
  const { style } = globalThis.gBrowser.selectedBrowser
  for (const [name, size] of [['width', width], ['height', height]]) {
    for (const property of [name, `min-${name}`, `max-${name}`]) style.setProperty(property, `${size}px`)
  }
}

/** Returns what the browser says about pages, in the form of its console. */
const messages = () => globalThis.Services.console.getMessageArray().map((message) => String(message.message))

/** Starts Firefox with a folder for what it keeps. */
export async function startFirefox(folder) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'user.js'), Object.entries(SETTINGS).map((one) => `user_pref(${one.map((part) => JSON.stringify(part)).join(', ')});\n`).join(''))
  const file = join(folder, 'MarionetteActivePort')
  rmSync(file, { force: true })
  // Scripts with the browser's rights read its console, and set the size of pages.
  const words = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', folder]
  const child = spawn(firefox(), words, { stdio: 'ignore', env: fontsOf('wide') })
  const ended = once(child, 'exit')
  const send = await connected(await portOf(file))
  await send('NewSession', { capabilities: { alwaysMatch: {} } })
  const inBrowser = async (work, ...args) => {
    await send('Marionette:SetContext', { value: 'chrome' })
    try {
      return await send('ExecuteScript', { script: `return (${work})(...arguments)`, args })
    } finally {
      await send('Marionette:SetContext', { value: 'content' })
    }
  }
  const resize = (width, height) => inBrowser(resizePage, width, height)
  await resize(390, 760)
  return Object.assign(new Driven(send), {
    send,
    resize,
    /** Opens a private window, calls a function with its page, and closes the window. */
    async inPrivate(work) {
      const former = await send('GetWindowHandle')
      const { handle } = await send('NewWindow', { type: 'window', private: true })
      await send('SwitchToWindow', { handle })
      try {
        await work(this)
      } finally {
        await send('CloseWindow')
        await send('SwitchToWindow', { handle: former })
      }
    },
    /** What went wrong in the pages so far. */
    faults: async () => (await inBrowser(messages)).filter((text) => /^\[JavaScript (Error|Warning): .*http:\/\/localhost:/s.test(text)),
    async quit() {
      // The connection ends before the answer.
      send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => {})
      await ended
    },
  })
}
