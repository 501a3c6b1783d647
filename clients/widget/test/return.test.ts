import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { isReturn, returnUrl, takeReturned, unlist } from '../src/return.ts'
import { lost, refused, Rig } from './support/rig.ts'

const PAGE = 'https://shop.example/sign-in'

const elsewhere = () => refused(403, 'return_token_required')

describe('page that an app opened again', () => {
  test('goes on with the login of another tab, and redeems with the token', async () => {
    const rig = await Rig.begun({ kept: 'qrs_kept', returned: { id: 'qrs_kept', token: 'back' } })
    rig.states.set('qrs_kept', 'confirmed')
    await rig.clock.pass(0)
    await rig.tells(2)
    assert.deepEqual(rig.names, ['scanned', 'confirmed'])
    assert.deepEqual([rig.asked, rig.returnTokens], [['qrs_kept'], ['back']])
  })

  test('asks for no digits', async () => {
    const rig = await Rig.begun({
      kept: 'qrs_kept', needsCode: true, returned: { id: 'qrs_kept', token: 'back' },
    })
    rig.states.set('qrs_kept', 'confirmed')
    await rig.clock.pass(0)
    await rig.tells(2)
    assert.deepEqual([rig.names, rig.codes], [['scanned', 'confirmed'], [null]])
  })

  test('starts afresh if this browser has no such login', async () => {
    const rig = await Rig.begun({ returned: { id: 'qrs_other', token: 'back' } })
    await rig.becomes('qrs_0', 'confirmed')
    await rig.tells(2)
    assert.deepEqual([rig.asked, rig.returnTokens], [['qrs_0'], [null]])
  })
})

describe('page from which the link was opened', () => {
  test('names itself for the app to return to', async () => {
    const rig = await Rig.begun({ returnUrl: PAGE })
    assert.deepEqual(rig.returnUrls, [PAGE])
    assert.deepEqual((await Rig.begun()).returnUrls, [null])
  })

  test('logs in without a return if the app does not list it', async () => {
    const rig = new Rig()
    rig.returnUrl = PAGE
    rig.refusals.open.push(lost(), refused(422, 'return_url_not_allowed'))
    rig.login.input({ type: 'begin' })
    await rig.clock.pass(1_000)
    assert.deepEqual(rig.returnUrls, [PAGE, PAGE, null])
    assert.deepEqual(rig.unlisted, [PAGE, { code: 'return_url_not_allowed', message: 'refused' }])
    assert.deepEqual([rig.shown, rig.names, rig.identities.length], ['qrs_0', [], 1])
    rig.login.input({ type: 'begin' })
    await rig.clock.pass(0)
    assert.deepEqual(rig.returnUrls.slice(3), [null])
  })

  test('leaves a confirmed login to the tab that the app opened', async () => {
    const rig = await Rig.begun({ needsCode: true, returnUrl: PAGE })
    rig.refusals.redeem.push(elsewhere())
    await rig.becomes('qrs_0', 'confirmed')
    await rig.becomes('qrs_0', 'consumed')
    assert.deepEqual([rig.sight.phase, rig.names], ['elsewhere', ['scanned']])
    assert.deepEqual([rig.keeps, rig.cancelled], [['qrs_0'], []])
  })

  test('redeems itself if the app returned to it', async () => {
    const rig = await Rig.begun({ returnUrl: PAGE })
    rig.refusals.redeem.push(elsewhere())
    await rig.becomes('qrs_0', 'confirmed')
    assert.equal(rig.sight.phase, 'elsewhere')
    await rig.login.appReturned({ id: 'qrs_other', token: 'other' })
    await rig.login.appReturned({ id: 'qrs_0', token: 'back' })
    await rig.tells(2)
    assert.deepEqual([rig.names, rig.returnTokens], [['scanned', 'confirmed'], [null, 'back']])
  })

  test('asks for the digits if the app cannot return', async () => {
    const rig = await Rig.begun({ needsCode: true, returnUrl: PAGE })
    rig.refusals.redeem.push(refused(403, 'check_code_required'))
    await rig.becomes('qrs_0', 'confirmed')
    assert.equal(rig.sight.phase, 'typing')
    rig.login.input({ type: 'typed', code: '07' })
    await rig.tells(2)
    assert.deepEqual([rig.names, rig.codes], [['scanned', 'confirmed'], [null, '07']])
  })
})

describe('tab that another one takes the login from', () => {
  test('stays calm if it sees only that the payload was fetched', async () => {
    const rig = await Rig.begun({ returnUrl: PAGE })
    rig.refusals.redeem.push(refused(409, 'session_redeemed'))
    await rig.becomes('qrs_0', 'consumed')
    assert.deepEqual([rig.sight.phase, rig.names, rig.clock.armed], ['elsewhere', ['scanned'], 0])
  })

  test('stops asking, and cancels nothing when it starts again or is left', async () => {
    for (const type of ['begin', 'stop'] as const) {
      const rig = await Rig.begun({ needsCode: true, returnUrl: PAGE })
      rig.refusals.redeem.push(elsewhere())
      await rig.becomes('qrs_0', 'confirmed')
      assert.equal(rig.clock.armed, 0)
      rig.login.input({ type })
      assert.deepEqual(rig.cancelled, [])
    }
  })

  test('reports a payload that another client fetched if no app could have returned', async () => {
    const rig = await Rig.begun()
    await rig.becomes('qrs_0', 'consumed')
    assert.deepEqual([rig.sight.phase, rig.names], ['failed', ['scanned', 'error']])
  })
})

describe('app that returns to a tab that is open', () => {
  test('is heard while the tab redeems without the token', async () => {
    const rig = await Rig.begun({ returnUrl: PAGE })
    rig.refusals.redeem.push(lost(), elsewhere())
    await rig.becomes('qrs_0', 'confirmed')
    await rig.login.appReturned({ id: 'qrs_0', token: 'back' })
    await rig.clock.pass(1_000)
    await rig.clock.pass(1_000)
    assert.ok(rig.returnTokens.includes('back'))
  })

  test('brings the login of another tab', async () => {
    const rig = await Rig.begun({ returnUrl: PAGE })
    rig.kept = { id: 'qrs_kept', token: 'token', keys: rig.keys }
    await rig.login.appReturned({ id: 'qrs_kept', token: 'back' })
    rig.states.set('qrs_kept', 'confirmed')
    await rig.clock.pass(0)
    await rig.tells(2)
    assert.deepEqual([rig.names, rig.returnTokens, rig.cancelled], [['scanned', 'confirmed'], ['back'], ['qrs_0']])
  })

  test('changes nothing if this browser has no such login', async () => {
    const rig = await Rig.begun({ returnUrl: PAGE })
    await rig.login.appReturned({ id: 'qrs_other', token: 'back' })
    assert.deepEqual([rig.shown, rig.asked, rig.cancelled], ['qrs_0', ['qrs_0'], []])
  })
})

describe('address', () => {
  const id = `qrs_${'0a'.repeat(16)}`
  const token = 'A'.repeat(43)

  /** Parses what an app passed in an address, and returns it with the remaining address and state. */
  function take(href: string) {
    const left: unknown[] = []
    const page = { location: { href }, history: { state: 'own', replaceState: (...all: unknown[]) => left.push(...all) } }
    Object.assign(globalThis, page)
    return [takeReturned(), ...left]
  }

  test('gives away what the app passed, and keeps the rest', () => {
    for (const page of [PAGE, `${PAGE}?next=%2Fcart`, 'https://shop.example//evil.example/']) {
      assert.deepEqual(take(`${page}#countersign=${id}.${token}`), [{ id, token }, 'own', '', page])
    }
    assert.deepEqual(take(`${PAGE}#basket`), [null])
    assert.ok(isReturn(`${PAGE}#countersign=${id}.${token}`) && !isReturn(`${PAGE}#basket`))
  })

  test('loses what no app passed', () => {
    for (const passed of ['', id, `${id}.`, `${id}.short`, `${id}-.${token}`, `${id}.${token}.`, `${id}.${token}%20`]) {
      assert.deepEqual(take(`${PAGE}#countersign=${passed}`), [null, 'own', '', PAGE], passed)
    }
  })

  test('is named without query and fragment, if the service takes it', () => {
    const at = (href: string) => returnUrl(new URL(href))
    assert.equal(at(`${PAGE}?a=b#c`), PAGE)
    assert.equal(at('https://a:b@shop.example/ä'), 'https://shop.example/%C3%A4')
    const longest = `${PAGE}/${'a'.repeat(1_024 - PAGE.length - 1)}`
    assert.equal(at(longest), longest)
    for (const bad of [`${longest}a`, 'file:///index.html', 'about:srcdoc']) assert.equal(at(bad), null, bad)
  })

  test('is not named again once the service has refused it', () => {
    unlist(PAGE)
    assert.equal(returnUrl(new URL(`${PAGE}?a=b`)), null)
    assert.equal(returnUrl(new URL(`${PAGE}/other`)), `${PAGE}/other`)
  })
})
