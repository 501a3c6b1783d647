import { apps } from './apps.ts'
import { confirmations } from './confirmations.ts'
import { logins } from './logins.ts'
import { audit, overview, providers, system } from './others.ts'
import { groups, quotas, settings } from './settings.ts'
import { common, shell } from './shell.ts'

/** Words for kinds of events that replace the server's English title. */
const moments: Record<string, string> = {}

export const en = { moments, shell, common, confirmations, logins, apps, groups, settings, quotas, providers, audit, system, overview }

/** The texts of the page. Every language has all of them. */
export type Texts = typeof en
