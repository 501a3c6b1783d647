import type { Texts } from '../en/index.ts'

export const logins: Texts['logins'] = {
  title: 'Anmeldungen',
  lead: 'Anmeldungen mit QR-Code oder App-Link.',
  states: {
    created: 'Wartet auf ein Telefon', open: 'Wartet auf ein Telefon', scanned: 'Auf einem Telefon geöffnet', confirmed: 'Bestätigt', redeemed: 'Angemeldet',
    denied: 'Abgelehnt', cancelled: 'Abgebrochen', expired: 'Abgelaufen',
  },
  search: 'ID einer Anmeldung',
  origin: 'Seite',
  user: 'Benutzer',
  risk: 'Risiko',
  browser: 'Browser',
  phone: 'Telefon',
  empty: 'Noch keine Anmeldungen',
  emptyWhat: 'Sie erscheinen hier, wenn eine Seite einer App mit Link-Host eine beginnt.',
  noMatch: 'Keine Anmeldung passt',
  one: 'Anmeldung',
  cancel: 'Abbrechen',
  cancelTitle: 'Diese Anmeldung abbrechen?',
  cancelWhat: 'Das Telefon kann sie nicht mehr bestätigen, und die Seite muss einen neuen Code zeigen.',
  cancelDo: 'Anmeldung abbrechen',
  cancelDone: 'Die Anmeldung ist abgebrochen.',
  page: (n) => (n === 1 ? '1 Anmeldung auf dieser Seite' : `${n} Anmeldungen auf dieser Seite`),
}
