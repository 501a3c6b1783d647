import type { Texts } from '../en/index.ts'

export const groups: Texts['groups'] = {
  webhooks: 'Webhooks',
  message: 'Die SMS, die Kunden senden',
  numbers: 'Nummern',
  links: 'Anmeldungen: Links und Seiten',
  phones: 'Anmeldungen: Apps auf Telefonen',
  guards: 'Anmeldungen: Schutz',
  webPhone: 'Anmeldungen: Telefone ohne App',
  openid: 'OpenID-Provider',
  quotas: 'Kontingente',
}

export const settings: Texts['settings'] = {
  callbackUrl: {
    name: 'Voreingestellte Callback-URL',
    what: 'Hierhin gehen Webhooks, wenn eine Anfrage keine callbackUrl enthält.',
    breaks: 'Neue Bestätigungen verwenden die neue URL. Ohne sie werden Anfragen ohne callbackUrl abgelehnt.',
  },
  callbackOrigins: {
    name: 'Erlaubte Ursprünge für Callbacks',
    what: 'Webhooks gehen nur an diese Ursprünge. Ohne Angabe ist jeder öffentliche Ursprung erlaubt.',
    breaks: 'Webhooks, die noch zu einem entfernten Ursprung unterwegs sind, werden aufgegeben.',
  },
  webhookDetails: {
    name: 'Mehr Felder in Webhooks',
    what: 'Webhooks nennen zusätzlich den Weg der SMS und die Art der Nummer.',
    breaks: 'Ein Empfänger, der unbekannte Felder ablehnt oder den Inhalt vor der Prüfung der Signatur neu serialisiert, könnte Webhooks ablehnen.',
    choices: { true: 'Ein', false: 'Aus' },
  },
  messageTemplate: {
    name: 'Nachricht',
    what: 'Der Text um {code} herum. Nennen Sie darin Ihren Dienst: Das schützt Menschen, die jemand zum Senden überreden will.',
    breaks: 'Gilt nur für neue Bestätigungen. SMS zu bestehenden zählen weiterhin.',
  },
  messageTemplates: {
    name: 'Nachrichten nach Sprache',
    what: 'Die Nachricht für Anfragen mit einer Sprache, etwa de=Anmeldung: {code}.',
    breaks: 'Anfragen in einer entfernten Sprache erhalten die allgemeine Nachricht.',
  },
  codePrefix: {
    name: 'Buchstaben vor Codes',
    what: 'Die zwei bis acht Buchstaben, mit denen Codes beginnen.',
    breaks: 'Gilt nur für neue Bestätigungen. SMS mit den alten Buchstaben zählen, solange deren Bestätigungen offen sind.',
  },
  senders: {
    name: 'Nummern, die SMS empfangen',
    what: 'Nach dem Land des Absenders: +NUMMER für alle Länder, CC=+NUMMER für eines.',
    breaks: 'SMS an eine entfernte Nummer bestätigen nichts mehr, auch nicht bei Bestätigungen, die jetzt offen sind.',
  },
  whatsapp: {
    name: 'Nummer bei WhatsApp',
    what: 'Empfängt auch Nachrichten über WhatsApp. Eine solche Nachricht beweist ein Konto, keine SIM-Karte.',
    breaks: 'Ohne sie sind neue Bestätigungen nicht über WhatsApp möglich.',
  },
  refusedNumberTypes: {
    name: 'Abgelehnte Arten von Nummern',
    what: 'SMS von Nummern dieser Arten bestätigen nichts: premium-rate, toll-free, shared-cost, voip, personal, pager, uan, voicemail, fixed-line.',
    breaks: 'Kunden mit solchen Nummern können diese nicht mehr bestätigen. In einigen Ländern ist voip nicht von Mobilfunk zu unterscheiden.',
  },
  'login.linkHost': {
    name: 'Link-Host',
    what: 'Der Host der Anmelde-Links. Telefone öffnen diese Links in der App.',
    breaks: 'Codes, die gerade auf Bildschirmen stehen, funktionieren nicht mehr, ebenso installierte Apps, die nur den alten Host kennen. Telefone ohne App verlieren ihre Schlüssel und müssen neu eingerichtet werden.',
  },
  'login.origins': {
    name: 'Seiten, die Anmeldungen beginnen',
    what: 'Nur Seiten dieser Ursprünge können Anmeldungen beginnen.',
    breaks: 'Seiten, die nicht in der Liste stehen, werden abgelehnt. Rückkehrseiten eines entfernten Ursprungs funktionieren nicht mehr.',
  },
  'login.returnPages': {
    name: 'Rückkehrseiten',
    what: 'Wohin die App nach einer Anmeldung auf demselben Telefon zurückkehrt.',
    breaks: 'Anmeldungen mit einer Seite, die nicht in der Liste steht, werden abgelehnt.',
  },
  'login.loginsFrom': {
    name: 'Wer Anmeldungen beginnt',
    what: 'Die Seiten mit dem öffentlichen App-Schlüssel und der Server, oder nur der Server mit seinem API-Schlüssel.',
    breaks: 'Bei „Nur der Server“ werden Seiten, die selbst Anmeldungen beginnen, sofort abgelehnt.',
    choices: { pages: 'Seiten und der Server', server: 'Nur der Server' },
  },
  'login.callback': {
    name: 'Callback-URL für Anmeldungen',
    what: 'Hierhin gehen signierte Webhooks über bestätigte und abgelehnte Anmeldungen.',
    breaks: 'Ohne sie erfährt der Server Ergebnisse nur auf Nachfrage.',
  },
  'login.android': {
    name: 'Android-Apps',
    what: 'Apps, die die Links öffnen: PAKET=SHA-256 des Zertifikats. Der Dienst liefert sie als assetlinks.json aus.',
    breaks: 'Telefone prüfen die Liste, wenn die App installiert oder aktualisiert wird. Ohne ihr Zertifikat öffnen sich die Links im Browser.',
  },
  'login.ios': {
    name: 'iOS-Apps',
    what: 'Apps, die die Links öffnen: TEAM.BUNDLE. Der Dienst liefert sie als apple-app-site-association aus.',
    breaks: 'Apples Server behalten die Liste bis zu einen Tag lang.',
  },
  'login.payloadEncryption': {
    name: 'Verschlüsselung der Nutzdaten',
    what: 'Pflicht: Nur der Browser kann lesen, was das Telefon sendet. Optional: Auch Browser ohne Schlüssel werden bedient; dann könnte der Dienst mitlesen.',
    breaks: 'Bei „Pflicht“ können Seiten mit einem Element aus der Zeit vor der Verschlüsselung keine Anmeldungen beginnen.',
    choices: { required: 'Pflicht', optional: 'Optional' },
  },
  'login.requireProof': {
    name: 'Nachweis durch registrierten Schlüssel',
    what: 'Eine Anmeldung lässt sich nur mit dem Nachweis durch einen hier registrierten Schlüssel bestätigen.',
    breaks: 'Telefone ohne registrierten Schlüssel können nichts bestätigen.',
    choices: { true: 'Erforderlich', false: 'Nicht erforderlich' },
  },
  'login.checkCode': {
    name: 'Prüfziffern',
    what: 'Die Person gibt zwei Ziffern vom Telefon im Browser ein. Das hält Angreifer auf, die anderen ihren eigenen Code schicken.',
    breaks: 'Ein Schritt mehr für jeden. Seiten mit einem Element aus der Zeit vor den Prüfziffern können keine Anmeldung abschließen.',
    choices: { true: 'Ein', false: 'Aus' },
  },
  'login.denyAfterDenials': {
    name: 'Nach drei Ablehnungen',
    what: 'Was nach drei Ablehnungen in zehn Minuten mit Anmeldungen von derselben Adresse geschieht: verweigern oder nur warnen.',
    breaks: 'Ein Büro hinter einer Adresse kann zehn Minuten lang ausgesperrt sein.',
    choices: { true: 'Verweigern', false: 'Warnen' },
  },
  'login.webPhone': {
    name: 'Telefon ohne App',
    what: 'Die Seite auf dem Link-Host dient Menschen ohne die App als Telefon: Sie richten es einmal ein und bestätigen dort. Keine andere App kann denselben Link-Host haben.',
    breaks: 'Ist es aus, können Menschen, die dort ein Telefon eingerichtet haben, nichts mehr bestätigen. Ihre Schlüssel bleiben registriert.',
    choices: { true: 'Ein', false: 'Aus' },
  },
  'login.webPhoneKey': {
    name: 'Schlüssel solcher Telefone',
    what: 'Beliebig: ein Passkey, wo der Browser ihn kann, sonst ein Schlüssel im Speicher des Browsers. Safari löscht diesen Speicher nach einer Woche ohne Besuch.',
    breaks: 'Bei „Nur Passkeys“ können Telefone mit einem Schlüssel im Speicher des Browsers nichts mehr bestätigen.',
    choices: { any: 'Beliebig', passkey: 'Nur Passkeys' },
  },
  'login.phoneSetupUrl': {
    name: 'Seite zum Einrichten eines Telefons',
    what: 'Ihre Seite, auf der angemeldete Nutzer ein Telefon einrichten. Telefone ohne Schlüssel verweisen dorthin.',
    breaks: 'Ohne sie erfahren Menschen mit einem neuen Telefon nicht, wo sie es einrichten.',
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
  perMinute: 'pro Minute, dauerhaft',
  burst: 'auf einmal, nach einer Pause',
  maxOpen: {
    confirmations: 'gleichzeitig offen',
    logins: 'gleichzeitig offen',
    associationKeys: 'insgesamt, mit widerrufenen',
    lists: 'gleichzeitig',
  },
  what: 'Eine Zahl, oder das Wort default für den Standardwert.',
  breaks: 'Anfragen darüber hinaus werden mit 429 beantwortet. Aufrufer sehen das in ihrem Log; Menschen werden gebeten, es später noch einmal zu versuchen.',
}
