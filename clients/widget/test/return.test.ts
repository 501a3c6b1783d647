import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { refused, Rig } from './support/rig.ts'

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
    rig.login.appReturned({ id: 'qrs_other', token: 'other' })
    rig.login.appReturned({ id: 'qrs_0', token: 'back' })
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
