import type { Texts } from '../en/index.ts'

export const phones: Texts['phones'] = {
  kind: 'Art',
  kinds: { app: 'App', browser: 'Browser', passkey: 'Passkey' },
  synced: 'Synchronisiert',
  oneDevice: 'Nur auf einem Gerät',
  obstacles: {
    other_host: 'Nicht nutzbar: nicht der Link-Host der App',
    passkeys_only: 'Nicht nutzbar: nur Passkeys erlaubt',
    web_phone_off: 'Nicht nutzbar: Telefone ohne App sind aus',
  },

  title: 'Telefone ohne App',
  lead: 'Was dieser Benutzer am letzten Tag eingerichtet hat oder einrichten wollte.',
  empty: 'Am letzten Tag wurde kein Telefon eingerichtet',
  emptyWhat: 'Ihre App beginnt damit für einen angemeldeten Benutzer: POST /phone-registrations.',
  phone: 'Telefon',
  noPhone: 'Noch nicht geöffnet',
  unknownPhone: 'Unbekannter Browser',
  states: {
    created: 'Wartet auf ein Telefon', opened: 'Link geöffnet', signed: 'Zeigt die Ziffern', completed: 'Abgeschlossen', failed: 'Gescheitert', expired: 'Abgelaufen',
  },
  failures: {
    wrong_digits: 'Dreimal falsche Ziffern', cancelled: 'Abgebrochen', key_refused: 'Schlüssel abgelehnt: Es gibt ihn schon, oder es sind zu viele',
  },
  cancelOf: (what) => `Abbrechen: ${what}`,
  cancelTitle: 'Einrichtung dieses Telefons abbrechen?',
  cancelWhat: 'Der Link und seine Ziffern gelten dann nicht mehr. Der Benutzer kann in Ihrer App von vorn beginnen.',
  cancelDo: 'Einrichtung abbrechen',
  keep: 'Offen lassen',
  cancelDone: 'Kein Telefon kann diese Einrichtung mehr abschließen.',
}
