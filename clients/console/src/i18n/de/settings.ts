import type { Texts } from '../en/index.ts'

export const groups: Texts['groups'] = {
  webhooks: 'Webhooks',
  message: 'Die SMS, die Menschen senden',
  numbers: 'Nummern',
  links: 'Anmeldungen: Links und Seiten',
  phones: 'Anmeldungen: Apps auf Telefonen',
  guards: 'Anmeldungen: Schutz',
  openid: 'OpenID-Provider',
  quotas: 'Kontingente',
}

export const settings: Texts['settings'] = {
  callbackUrl: {
    name: 'Vorgegebene Callback-URL',
    what: 'Webhooks gehen hierher, wenn eine Anfrage keine callbackUrl nennt.',
    breaks: 'Neue Bestätigungen nehmen die neue URL. Ohne eine werden Anfragen ohne callbackUrl abgelehnt.',
  },
  callbackOrigins: {
    name: 'Erlaubte Ursprünge für Callbacks',
    what: 'Webhooks gehen nur an diese Ursprünge. Ohne Angabe ist jeder öffentliche Ursprung erlaubt.',
    breaks: 'Ausstehende Webhooks an einen Ursprung, der nicht mehr genannt ist, werden aufgegeben.',
  },
  webhookDetails: {
    name: 'Mehr Felder in Webhooks',
    what: 'Webhooks sagen auch, wie die SMS kam und welche Art von Nummer es ist.',
    breaks: 'Ein Empfänger, der unbekannte Felder ablehnt oder den Inhalt für die Signatur neu schreibt, lehnt Webhooks vielleicht ab.',
    choices: { true: 'Ein', false: 'Aus' },
  },
  messageTemplate: {
    name: 'Nachricht',
    what: 'Der Text um {code}. Den Dienst zu nennen schützt Menschen, die zum Senden überredet werden.',
    breaks: 'Nur neue Bestätigungen nehmen ihn. SMS zu bestehenden zählen weiter.',
  },
  messageTemplates: {
    name: 'Nachrichten nach Sprache',
    what: 'Die Nachricht für Anfragen, die eine Sprache nennen, etwa de=Anmeldung: {code}.',
    breaks: 'Anfragen in einer entfernten Sprache bekommen die einfache Nachricht.',
  },
  codePrefix: {
    name: 'Buchstaben vor Codes',
    what: 'Die zwei bis acht Buchstaben, mit denen Codes beginnen.',
    breaks: 'Nur neue Bestätigungen nehmen sie. SMS mit den früheren werden gelesen, solange jene offen sind.',
  },
  senders: {
    name: 'Nummern, die SMS empfangen',
    what: 'Gewählt nach dem Land des Absenders: +NUMMER für alle, CC=+NUMMER für ein Land.',
    breaks: 'Eine SMS an eine entfernte Nummer bestätigt nichts, auch nicht für Bestätigungen, die jetzt offen sind.',
  },
  whatsapp: {
    name: 'Nummer bei WhatsApp',
    what: 'Empfängt auch Nachrichten von WhatsApp. Eine solche beweist ein Konto, keine SIM-Karte.',
    breaks: 'Ohne sie nehmen neue Bestätigungen keine Nachrichten von WhatsApp.',
  },
  refusedNumberTypes: {
    name: 'Abgelehnte Arten von Nummern',
    what: 'SMS von diesen Arten bestätigen nichts: premium-rate, toll-free, shared-cost, voip, personal, pager, uan, voicemail, fixed-line.',
    breaks: 'Kunden mit solchen Nummern können nicht mehr bestätigt werden. Mehrere Länder trennen voip nicht von Mobilfunk.',
  },
  'login.linkHost': {
    name: 'Link-Host',
    what: 'Der Host der Anmelde-Links. Telefone öffnen solche Links in der App.',
    breaks: 'Codes, die jetzt auf Bildschirmen stehen, und Apps, die nur den alten Host kennen, gehen nicht mehr.',
  },
  'login.origins': {
    name: 'Seiten, die Anmeldungen beginnen',
    what: 'Nur Seiten dieser Ursprünge bekommen Anmeldungen.',
    breaks: 'Eine nicht genannte Seite wird abgelehnt. Rückkehrseiten eines entfernten Ursprungs gehen nicht mehr.',
  },
  'login.returnPages': {
    name: 'Rückkehrseiten',
    what: 'Wohin die App nach einer Anmeldung auf demselben Telefon zurückkehrt.',
    breaks: 'Eine Anmeldung, die eine nicht genannte Seite nennt, wird abgelehnt.',
  },
  'login.loginsFrom': {
    name: 'Wer Anmeldungen beginnt',
    what: 'Die Seiten mit dem öffentlichen App-Schlüssel und der Server, oder nur der Server mit seinem API-Schlüssel.',
    breaks: 'Mit „Nur der Server“ werden Seiten, die selbst Anmeldungen beginnen, sofort abgelehnt.',
    choices: { pages: 'Seiten und der Server', server: 'Nur der Server' },
  },
  'login.callback': {
    name: 'Callback-URL für Anmeldungen',
    what: 'Signierte Webhooks über Bestätigen und Ablehnen gehen hierher.',
    breaks: 'Ohne sie erfährt der Server Ergebnisse nur auf Nachfrage.',
  },
  'login.android': {
    name: 'Android-Apps',
    what: 'Apps, die die Links öffnen: PAKET=SHA-256 des Zertifikats. Bereitgestellt als assetlinks.json.',
    breaks: 'Telefone prüfen die Liste beim Installieren und Aktualisieren. Ein entferntes Zertifikat öffnet Links im Browser.',
  },
  'login.ios': {
    name: 'iOS-Apps',
    what: 'Apps, die die Links öffnen: TEAM.BUNDLE. Bereitgestellt als apple-app-site-association.',
    breaks: 'Die Server von Apple behalten die Liste bis zu einem Tag.',
  },
  'login.payloadEncryption': {
    name: 'Verschlüsselung der Nutzdaten',
    what: 'Pflicht: Nur der Browser liest, was das Telefon sendet. Freiwillig: Browser ohne Schlüssel werden bedient, und der Dienst könnte es lesen.',
    breaks: 'Mit „Pflicht“ bekommen Seiten mit einem Element aus der Zeit davor keine Anmeldungen.',
    choices: { required: 'Pflicht', optional: 'Freiwillig' },
  },
  'login.requireProof': {
    name: 'Nachweis durch registrierten Schlüssel',
    what: 'Eine Anmeldung wird nur mit dem Nachweis eines hier registrierten Schlüssels bestätigt.',
    breaks: 'Telefone ohne registrierten Schlüssel können nichts bestätigen.',
    choices: { true: 'Verlangt', false: 'Nicht verlangt' },
  },
  'login.checkCode': {
    name: 'Prüfziffern',
    what: 'Die Person tippt zwei Ziffern vom Telefon am Browser ein. Das hält Angreifer auf, die ihren eigenen Code verschicken.',
    breaks: 'Menschen haben einen Schritt mehr. Seiten mit einem Element aus der Zeit davor schließen keine Anmeldung ab.',
    choices: { true: 'Ein', false: 'Aus' },
  },
  'login.denyAfterDenials': {
    name: 'Nach drei Ablehnungen',
    what: 'Anmeldungen von einer Adresse nach drei Ablehnungen in zehn Minuten verweigern, oder nur vor ihnen warnen.',
    breaks: 'Ein Büro hinter einer Adresse kann zehn Minuten lang ausgesperrt sein.',
    choices: { true: 'Verweigern', false: 'Warnen' },
  },
  'openid.redirectUris': {
    name: 'Redirect-URIs',
    what: 'Wohin Menschen nach der Anmeldung zurückkehren, genau wie der Client sie sendet. Mit einer ist die App ein Client des OpenID-Providers.',
    breaks: 'Eine Anmeldung, die eine andere URI nennt, endet auf einer Fehlerseite. Ohne eine lehnt der Provider die App ab.',
  },
  'openid.postLogoutRedirectUris': {
    name: 'Redirect-URIs nach der Abmeldung',
    what: 'Wohin Menschen nach der Abmeldung zurückkehren.',
    breaks: 'Eine Abmeldung, die eine andere Seite nennt, endet auf unserer Seite.',
  },
  'openid.client': {
    name: 'Art des Clients',
    what: 'Vertraulich: ein Server, der ein Geheimnis bewahrt. Öffentlich: eine App auf dem Telefon oder im Browser, ohne Geheimnis, immer mit PKCE.',
    breaks: 'Die Geheimnisse eines öffentlichen Clients werden abgelehnt. Ein vertraulicher ohne Geheimnis bekommt keine Token.',
    choices: { confidential: 'Vertraulich', public: 'Öffentlich' },
  },
  'openid.pkce': {
    name: 'PKCE',
    what: 'Verlangt, oder stattdessen eine Nonce für Server, die PKCE nicht kennen.',
    breaks: 'Mit „Verlangt“ werden Anmeldungen ohne PKCE sofort abgelehnt.',
    choices: { required: 'Verlangt', nonce: 'Eine Nonce genügt' },
  },
  'openid.methods': {
    name: 'Arten der Anmeldung',
    what: 'text (SMS), code (mit einer App, deren Schlüssel registriert ist) oder beide, in der Reihenfolge der Seite.',
    breaks: 'Beide ergeben verschiedene Kennungen. Wer die entfernte Art nutzte, kommt als Fremder wieder.',
  },
  'openid.subjectSilenceDays': {
    name: 'Tage, bis eine stille Nummer fremd ist',
    what: 'Eine so lange nicht angemeldete Nummer bekommt eine neue Kennung, denn sie gehört vielleicht jemand anderem. 0: nie.',
    breaks: 'Weniger Tage machen seltene Gäste zu Fremden. Mehr Tage lassen den nächsten Besitzer der Nummer in das Konto.',
  },
}

export const quotas: Texts['quotas'] = {
  confirmations: 'Bestätigungen',
  logins: 'Anmeldungen',
  associationKeys: 'Schlüssel von Personen',
  lists: 'Listen',
  perMinute: 'je Minute, dauernd',
  burst: 'auf einmal nach einer Pause',
  maxOpen: {
    confirmations: 'gleichzeitig offen',
    logins: 'gleichzeitig unentschieden',
    associationKeys: 'insgesamt, auch widerrufene',
    lists: 'gleichzeitig',
  },
  what: 'Eine Zahl, oder das Wort default für die Vorgabe.',
  breaks: 'Anfragen darüber bekommen die Antwort 429. Aufrufer sehen sie im Log; Menschen lesen „später noch einmal“.',
}
