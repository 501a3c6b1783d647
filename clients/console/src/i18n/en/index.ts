import { apps } from './apps.ts'
import { confirmations } from './confirmations.ts'
import { logins } from './logins.ts'
import { audit, overview, providers, system } from './others.ts'
import { phones } from './phones.ts'
import { checkNames, quotasInUse, refusals, sentences, troubles } from './server.ts'
import { groups, quotas, settings } from './settings.ts'
import { common, shell } from './shell.ts'

/** Words for what happened. Most titles are the server's, which are English. */
const moments = {
  attempt: (n: string) => `Attempt ${n}`,
  accepted: (status: string) => `the receiver accepted it with ${status}`,
  answered: (status: string) => `the receiver answered ${status}`,
  follows: 'is due',
  channels: { sms: 'SMS', modem: 'SMS to your modem', whatsapp: 'WhatsApp' } as Record<string, string>,
  by: (channel: string, provider: string) => `${channel}, received from ${provider}`,
  risk: (flags: string[]) => `Risk: ${flags.join('; ')}`,
  flags: {
    browser_attacker: 'the browser’s address is known for attacks', browser_tor: 'the browser uses Tor', phone_tor: 'the phone uses Tor',
    countries_differ: 'browser and phone are in different countries',
    countries_differ_hidden: 'browser and phone are in different countries, and the browser hides where it is',
    denials: 'several logins from the browser’s address were denied', denials_refused: 'several logins from the browser’s address were denied, and the app refuses more',
    browser_vpn: 'the browser uses a VPN', browser_hosting: 'the browser runs in a data centre', far_apart: 'browser and phone are far apart',
    too_fast: 'the phone cannot have come this far since the last login', new_browser: 'a new browser for this user', place_unknown: 'the distance is not known',
    name_unchecked: 'the app named no user', same_network: 'browser and phone are in the same network',
  } as Record<string, string>,
  /** In place of the server's, in other languages: titles, titles by flow, and what stands below. */
  titles: {} as Record<string, string>,
  flows: {} as Record<string, string>,
  details: {} as Record<string, string>,
  reasons: {} as Record<string, string>,
  testKey: 'With a test key',
}

export const en = {
  moments, shell, common, confirmations, logins, apps, phones, groups, settings, quotas, providers, audit, system, overview,
  sentences, refusals, troubles, quotasInUse, checkNames,
}

/** The texts of the page. Every language has all of them. */
export type Texts = typeof en
