import type { Texts } from '../en/index.ts'
import { apps } from './apps.ts'
import { confirmations } from './confirmations.ts'
import { logins } from './logins.ts'
import { audit, overview, providers, system } from './others.ts'
import { groups, quotas, settings } from './settings.ts'
import { common, shell } from './shell.ts'

const moments: Texts['moments'] = {
  attempt: (n) => `Versuch ${n}`,
  accepted: (status) => `Der Empfänger nahm ihn mit ${status} an`,
  answered: (status) => `Der Empfänger antwortete ${status}`,
  noAnswer: (why) => why,
  follows: 'Steht bevor',
  channels: { sms: 'SMS', modem: 'SMS an Ihr Modem', whatsapp: 'WhatsApp' },
  by: (channel, provider) => `${channel}, empfangen von ${provider}`,
  titles: {
    started: 'Begonnen',
    created: 'Begonnen',
    missed: 'Eine SMS mit dem Code zählte nicht',
    verified: 'Durch eine SMS bestätigt',
    second_sender: 'Eine andere Nummer sandte denselben Code',
    expired: 'Abgelaufen',
    cancelled: 'Abgebrochen',
    redacted: 'Personendaten gelöscht',
    delivery_failed: 'Der Webhook wurde aufgegeben',
    scanned: 'Ein Telefon öffnete den Code',
    confirmed: 'Auf dem Telefon bestätigt',
    consumed: 'Der Browser ist angemeldet',
    denied: 'Auf dem Telefon abgelehnt',
    blocked: 'Gesperrt',
  },
  details: {
    'With a test key': 'Mit einem Testschlüssel',
    'The code was shared or stolen. The first number stays verified.': 'Der Code wurde weitergegeben oder gestohlen. Die erste Nummer bleibt bestätigt.',
    'Repair the receiver, then redeliver the webhook.': 'Bringen Sie den Empfänger in Ordnung, dann senden Sie den Webhook noch einmal.',
    'A second phone opened the code, so another person may have it.': 'Ein zweites Telefon öffnete den Code; vielleicht hat ihn eine andere Person.',
    'It was confirmed although the risk was too high.': 'Sie wurde bestätigt, obwohl das Risiko zu hoch war.',
    'The code on the screen does not fit the service\'s answer.': 'Der Code auf dem Bildschirm passt nicht zur Antwort des Dienstes.',
    'The browser sent too many wrong check codes.': 'Der Browser sandte zu viele falsche Prüfziffern.',
  },
}

export const de: Texts = { moments, shell, common, confirmations, logins, apps, groups, settings, quotas, providers, audit, system, overview }
