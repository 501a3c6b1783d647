import { apps } from './apps.ts'
import { confirmations } from './confirmations.ts'
import { logins } from './logins.ts'
import { audit, overview, providers, system } from './others.ts'
import { groups, quotas, settings } from './settings.ts'
import { common, shell } from './shell.ts'

/** Words for what happened, in place of the server's English ones. */
const moments = {
  attempt: (n: string) => `Attempt ${n}`,
  accepted: (status: string) => `the receiver accepted it with ${status}`,
  answered: (status: string) => `the receiver answered ${status}`,
  noAnswer: (why: string) => why,
  follows: 'is due',
  channels: { sms: 'SMS', modem: 'SMS to your modem', whatsapp: 'WhatsApp' } as Record<string, string>,
  by: (channel: string, provider: string) => `${channel}, received from ${provider}`,
  titles: {} as Record<string, string>,
  details: {} as Record<string, string>,
}

export const en = { moments, shell, common, confirmations, logins, apps, groups, settings, quotas, providers, audit, system, overview }

/** The texts of the page. Every language has all of them. */
export type Texts = typeof en
