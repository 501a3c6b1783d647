import type { Texts } from '../en/index.ts'
import { apps } from './apps.ts'
import { confirmations } from './confirmations.ts'
import { logins } from './logins.ts'
import { audit, overview, providers, system } from './others.ts'
import { groups, quotas, settings } from './settings.ts'
import { common, shell } from './shell.ts'

const moments: Texts['moments'] = {
  created: 'Angelegt',
  verified: 'Bestätigt',
  expired: 'Abgelaufen',
  cancelled: 'Abgebrochen',
  redacted: 'Personendaten gelöscht',
  scanned: 'Auf einem Telefon geöffnet',
  confirmed: 'Auf dem Telefon bestätigt',
  denied: 'Auf dem Telefon abgelehnt',
  redeemed: 'Angemeldet',
}

export const de: Texts = { moments, shell, common, confirmations, logins, apps, groups, settings, quotas, providers, audit, system, overview }
