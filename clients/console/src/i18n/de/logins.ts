import type { Texts } from '../en/index.ts'

export const logins: Texts['logins'] = {
  title: 'Anmeldungen',
  lead: 'Anmeldungen per QR-Code oder App-Link.',
  states: {
    created: 'Wartet auf ein Telefon', scanned: 'Auf einem Telefon geöffnet', confirmed: 'Bestätigt', consumed: 'Angemeldet', denied: 'Abgelehnt',
    blocked: 'Gesperrt', cancelled: 'Abgebrochen', expired: 'Abgelaufen',
  },
  search: 'ID einer Anmeldung',
  origin: 'Website',
  user: 'Benutzer',
  risk: 'Risiko',
  risks: { clear: 'Unauffällig', warn: 'Auffällig', deny: 'Zu hoch' },
  browser: 'Browser',
  phone: 'Telefon',
  empty: 'Noch keine Anmeldungen',
  emptyWhat: 'Sie erscheinen hier, sobald eine Seite einer App mit Link-Host eine beginnt.',
  noMatch: 'Keine Anmeldung passt',
  one: 'Anmeldung',
  cancel: 'Anmeldung abbrechen',
  cancelTitle: 'Diese Anmeldung abbrechen?',
  cancelWhat: 'Dann kann kein Telefon sie mehr bestätigen, und der Browser wird nicht angemeldet. Der Benutzer muss von vorn beginnen.',
  cancelDone: 'Die Anmeldung ist abgebrochen.',
  keep: 'Nicht abbrechen',
  page: (n) => (n === 1 ? '1 Anmeldung auf dieser Seite' : `${n} Anmeldungen auf dieser Seite`),
}
