export type SettingTexts = { name: string, what: string, breaks: string, choices?: Record<string, string> }

export const groups = {
  webhooks: 'Webhooks',
  message: 'The text that people send',
  numbers: 'Numbers',
  links: 'Logins: links and pages',
  phones: 'Logins: apps on phones',
  guards: 'Logins: protection',
  webPhone: 'Logins: phones without the app',
  openid: 'OpenID provider',
  quotas: 'Quotas',
}

export const settings: Record<string, SettingTexts> = {
  callbackUrl: {
    name: 'Default callback URL',
    what: 'Webhooks go here when a request has no callbackUrl.',
    breaks: 'New confirmations use the new URL. Without one, requests without a callbackUrl are refused.',
  },
  callbackOrigins: {
    name: 'Allowed callback origins',
    what: 'Webhooks go only to these origins. Without any, every public origin is allowed.',
    breaks: 'Pending webhooks to an origin that is no longer listed are given up.',
  },
  webhookDetails: {
    name: 'More fields in webhooks',
    what: 'Webhooks also say how the text came and which type the number has.',
    breaks: 'A receiver that refuses unknown fields, or re-serialises the body for the signature, may refuse webhooks.',
    choices: { true: 'On', false: 'Off' },
  },
  messageTemplate: {
    name: 'Message',
    what: 'The text around {code}. Naming your service protects people who are tricked into sending it.',
    breaks: 'Only new confirmations use it. Texts of existing ones still count.',
  },
  messageTemplates: {
    name: 'Messages by language',
    what: 'The message for requests that name a language, such as de=Anmeldung: {code}.',
    breaks: 'Requests in a language that you remove get the plain message.',
  },
  codePrefix: {
    name: 'Letters before codes',
    what: 'The two to eight letters that codes begin with.',
    breaks: 'Only new confirmations use them. Texts with the old letters still count while their confirmations are open.',
  },
  senders: {
    name: 'Numbers that receive texts',
    what: 'Chosen by the sender’s country: +NUMBER for all, CC=+NUMBER for one country.',
    breaks: 'Texts to a removed number verify nothing, even for confirmations that are open now.',
  },
  whatsapp: {
    name: 'Number on WhatsApp',
    what: 'Receives texts from WhatsApp, too. Such a text proves an account, not a SIM.',
    breaks: 'Without it, new confirmations take no texts from WhatsApp.',
  },
  refusedNumberTypes: {
    name: 'Refused types of numbers',
    what: 'Texts from these types verify nothing: premium-rate, toll-free, shared-cost, voip, personal, pager, uan, voicemail, fixed-line.',
    breaks: 'Customers with such numbers can no longer be verified. Several countries do not tell voip from mobile.',
  },
  'login.linkHost': {
    name: 'Link host',
    what: 'The host of login links. Phones open such links in the app.',
    breaks: 'Codes that are on screens now stop working, and so do installed apps that know only the old host. Phones without the app lose their keys: people have to set them up again.',
  },
  'login.origins': {
    name: 'Pages that open logins',
    what: 'Only pages of these origins get logins.',
    breaks: 'A page that is not listed is refused. Return pages of a removed origin no longer work.',
  },
  'login.returnPages': {
    name: 'Return pages',
    what: 'Where the app returns after a login on the same phone.',
    breaks: 'Logins that name an unlisted page are refused.',
  },
  'login.loginsFrom': {
    name: 'Who opens logins',
    what: 'The pages with the public app key and the server, or only the server with its API key.',
    breaks: 'With “only the server”, pages that open logins themselves are refused at once.',
    choices: { pages: 'Pages and the server', server: 'Only the server' },
  },
  'login.callback': {
    name: 'Login callback URL',
    what: 'Signed webhooks about confirmations and denials go here.',
    breaks: 'Without it, the server learns results only by asking.',
  },
  'login.android': {
    name: 'Android apps',
    what: 'Apps that open the links: PACKAGE=SHA-256 of the certificate. Served as assetlinks.json.',
    breaks: 'Phones check the list when the app is installed or updated. A removed certificate opens links in the browser.',
  },
  'login.ios': {
    name: 'iOS apps',
    what: 'Apps that open the links: TEAM.BUNDLE. Served as apple-app-site-association.',
    breaks: 'Apple’s servers keep the list for up to a day.',
  },
  'login.payloadEncryption': {
    name: 'Encryption of payloads',
    what: 'Required: only the browser can read what the phone sends. Optional: browsers without a key are served, and the service could read it.',
    breaks: 'With “required”, pages with an element from before encryption get no logins.',
    choices: { required: 'Required', optional: 'Optional' },
  },
  'login.requireProof': {
    name: 'Proof by a registered key',
    what: 'A login is confirmed only with a proof by an association key that is registered here.',
    breaks: 'Phones whose key is not registered can confirm nothing.',
    choices: { true: 'Required', false: 'Not required' },
  },
  'login.checkCode': {
    name: 'Check code',
    what: 'The person types two digits from the phone at the browser. It stops attackers who send their own code to people.',
    breaks: 'People have one more step. Pages with an element from before check codes cannot finish logins.',
    choices: { true: 'On', false: 'Off' },
  },
  'login.denyAfterDenials': {
    name: 'After three denials',
    what: 'Refuse logins from an address after three denials in ten minutes, or only warn about them.',
    breaks: 'An office behind one address can be locked out for ten minutes.',
    choices: { true: 'Refuse', false: 'Warn' },
  },
  'login.webPhone': {
    name: 'Phone without the app',
    what: 'The page on the link host serves people without the app as their phone: they set it up once and confirm there. No other app can have the same link host.',
    breaks: 'When it is off, people who set a phone up there can confirm nothing. Their keys stay registered.',
    choices: { true: 'On', false: 'Off' },
  },
  'login.webPhoneKey': {
    name: 'Keys of such phones',
    what: 'Any: a passkey where the browser has them, otherwise a key in the browser’s storage. Safari deletes that storage after a week without a visit.',
    breaks: 'With “passkeys only”, phones with a key in the browser’s storage can confirm nothing.',
    choices: { any: 'Any', passkey: 'Passkeys only' },
  },
  'login.phoneSetupUrl': {
    name: 'Page for setting a phone up',
    what: 'Your page where a user who is logged in sets a phone up. Phones without a key link to it.',
    breaks: 'Without it, people with a new phone are not told where to set it up.',
  },
  'openid.redirectUris': {
    name: 'Redirect URIs',
    what: 'Where people return after a login, exactly as the client sends it. With one, this app is a client of the OpenID provider.',
    breaks: 'A login that names a URI which is not listed ends on an error page. Without any, the provider refuses the app.',
  },
  'openid.postLogoutRedirectUris': {
    name: 'Redirect URIs after a logout',
    what: 'Where people return after a logout.',
    breaks: 'A logout that names a page which is not listed ends on our page.',
  },
  'openid.client': {
    name: 'Type of client',
    what: 'Confidential: a server that keeps a secret. Public: an app on a phone or in a browser, without a secret, always with PKCE.',
    breaks: 'A public client’s secrets are refused. A confidential client without a secret gets no tokens.',
    choices: { confidential: 'Confidential', public: 'Public' },
  },
  'openid.pkce': {
    name: 'PKCE',
    what: 'Required, or a nonce in its place for servers that know no PKCE.',
    breaks: 'With “required”, logins without PKCE are refused at once.',
    choices: { required: 'Required', nonce: 'A nonce will do' },
  },
  'openid.methods': {
    name: 'Ways to log in',
    what: 'text, code (by an app with a registered key), or both, in the order of the page.',
    breaks: 'The two ways give different subjects. People who used a way that is gone come back as strangers.',
  },
  'openid.subjectSilenceDays': {
    name: 'Days until a silent number is a stranger',
    what: 'A number without a login for so long gets a new subject, because it may be another person’s. 0: never.',
    breaks: 'Fewer days make strangers of people who come rarely. More days let a number’s next owner into the account.',
  },
}

export const quotas = {
  confirmations: 'Confirmations',
  logins: 'Logins',
  associationKeys: 'Association keys',
  lists: 'Lists',
  perMinute: 'a minute, sustained',
  burst: 'in a burst after a pause',
  maxOpen: {
    confirmations: 'open at the same time',
    logins: 'undecided at the same time',
    associationKeys: 'in all, revoked ones included',
    lists: 'under way at the same time',
  } as Record<string, string>,
  what: 'A number, or the word default.',
  breaks: 'Requests beyond it get the answer 429. Callers see it in their logs; people see “try again”.',
}
