import type { Texts } from '../en/index.ts'

export const logins: Texts['logins'] = {
  title: 'Anmeldungen',
  lead: 'Anmeldungen mit QR-Code oder App-Link.',
  states: {
    created: 'Wartet auf ein Telefon', scanned: 'Auf einem Telefon geöffnet', confirmed: 'Bestätigt', consumed: 'Angemeldet', denied: 'Abgelehnt',
    blocked: 'Gesperrt', cancelled: 'Abgebrochen', expired: 'Abgelaufen',
  },
  search: 'ID einer Anmeldung',
  origin: 'Seite',
  user: 'Benutzer',
  risk: 'Risiko',
  risks: { clear: 'Unauffällig', warn: 'Gewarnt', deny: 'Verweigert' },
  browser: 'Browser',
  phone: 'Telefon',
  empty: 'Noch keine Anmeldungen',
  emptyWhat: 'Sie erscheinen hier, wenn eine Seite einer App mit Link-Host eine beginnt.',
  noMatch: 'Keine Anmeldung passt',
  one: 'Anmeldung',
  cancel: 'Anmeldung abbrechen',
  cancelTitle: 'Diese Anmeldung abbrechen?',
  cancelWhat: 'Kein Telefon kann sie noch bestätigen, und der Browser wird nicht angemeldet. Der Benutzer muss neu beginnen.',
  cancelDone: 'Die Anmeldung ist abgebrochen.',
  keep: 'Offen lassen',
  page: (n) => (n === 1 ? '1 Anmeldung auf dieser Seite' : `${n} Anmeldungen auf dieser Seite`),
}
