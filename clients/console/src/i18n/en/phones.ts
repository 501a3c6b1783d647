export const phones = {
  kind: 'Kind',
  kinds: { app: 'App', browser: 'Browser', passkey: 'Passkey' } as Record<string, string>,
  synced: 'Synced',
  oneDevice: 'On one device',
  obstacles: {
    other_host: 'Unusable: not the app’s link host',
    passkeys_only: 'Unusable: passkeys only',
    web_phone_off: 'Unusable: phones without the app are off',
  } as Record<string, string>,

  title: 'Phones without the app',
  lead: 'What this user set up, or tried to, in the last day.',
  empty: 'No phone was set up in the last day',
  emptyWhat: 'Your app starts one for a user who is logged in: POST /phone-registrations.',
  phone: 'Phone',
  noPhone: 'Not opened yet',
  unknownPhone: 'Unknown browser',
  states: {
    created: 'Waiting for a phone', opened: 'Link opened', signed: 'Shows the digits', completed: 'Completed', failed: 'Failed', expired: 'Expired',
  } as Record<string, string>,
  failures: {
    wrong_digits: 'Wrong digits three times', cancelled: 'Cancelled', key_refused: 'The key was refused: it is known already, or there are too many',
  } as Record<string, string>,
  cancelOf: (what: string) => `Cancel: ${what}`,
  cancelTitle: 'Stop setting this phone up?',
  cancelWhat: 'The link and its digits stop working. The user can start again in your app.',
  cancelDo: 'Stop it',
  keep: 'Keep it open',
  cancelDone: 'No phone can complete this any longer.',
}
