import type { Texts } from '../en/index.ts'
import { apps } from './apps.ts'
import { confirmations } from './confirmations.ts'
import { logins } from './logins.ts'
import { audit, overview, providers, system } from './others.ts'
import { phones } from './phones.ts'
import { checkNames, quotasInUse, refusals, sentences, troubles } from './server.ts'
import { groups, quotas, settings } from './settings.ts'
import { common, shell } from './shell.ts'

const moments: Texts['moments'] = {
  attempt: (n) => `Versuch ${n}`,
  accepted: (status) => `der Empfänger hat mit ${status} angenommen`,
  answered: (status) => `der Empfänger hat mit ${status} geantwortet`,
  follows: 'steht noch aus',
  channels: { sms: 'SMS', modem: 'SMS an Ihr Modem', whatsapp: 'WhatsApp' },
  by: (channel, provider) => `${channel}, empfangen über ${provider}`,
  risk: (flags) => `Risiko: ${flags.join('; ')}`,
  flags: {
    browser_attacker: 'die Adresse des Browsers ist für Angriffe bekannt', browser_tor: 'der Browser nutzt Tor', phone_tor: 'das Telefon nutzt Tor',
    countries_differ: 'Browser und Telefon sind in verschiedenen Ländern',
    countries_differ_hidden: 'Browser und Telefon sind in verschiedenen Ländern, und der Browser verbirgt, wo er ist',
    denials: 'mehrere Anmeldungen von der Adresse des Browsers wurden abgelehnt',
    denials_refused: 'mehrere Anmeldungen von der Adresse des Browsers wurden abgelehnt, und die App lässt keine weiteren zu',
    browser_vpn: 'der Browser nutzt ein VPN', browser_hosting: 'der Browser läuft in einem Rechenzentrum', far_apart: 'Browser und Telefon sind weit voneinander entfernt',
    too_fast: 'so weit kann das Telefon seit der letzten Anmeldung nicht gekommen sein', new_browser: 'neuer Browser für diesen Benutzer',
    place_unknown: 'die Entfernung ist nicht bekannt', name_unchecked: 'die App hat keinen Benutzer genannt', same_network: 'Browser und Telefon sind im selben Netz',
  },
  titles: {
    created: 'Begonnen',
    verified: 'Durch eine SMS bestätigt',
    second_sender: 'Von einer anderen Nummer kam derselbe Code',
    expired: 'Abgelaufen',
    cancelled: 'Abgebrochen',
    redacted: 'Personenbezogene Daten gelöscht',
    delivery_failed: 'Der Webhook wurde aufgegeben',
    scanned: 'Ein Telefon hat den Code geöffnet',
    confirmed: 'Auf dem Telefon bestätigt',
    consumed: 'Der Browser ist angemeldet',
    denied: 'Auf dem Telefon abgelehnt',
    blocked: 'Gesperrt',
  },
  flows: { acquisition: 'Begonnen, um eine Nummer zu erfahren', confirmation: 'Begonnen, um eine bekannte Nummer zu bestätigen' },
  details: {
    second_sender: 'Der Code wurde weitergegeben oder gestohlen. Die erste Nummer bleibt bestätigt.',
    delivery_failed: 'Bringen Sie den Empfänger in Ordnung, dann senden Sie den Webhook noch einmal.',
  },
  reasons: {
    second_phone: 'Ein zweites Telefon hat den Code geöffnet; vielleicht hat ihn eine andere Person.',
    risk: 'Sie wurde bestätigt, obwohl das Risiko zu hoch war.',
    key_mismatch: 'Der Code auf dem Bildschirm passt nicht zur Antwort des Dienstes.',
    check_code: 'Im Browser wurden zu oft falsche Prüfziffern eingegeben.',
  },
  testKey: 'Mit einem Testschlüssel',
}

export const de: Texts = {
  moments, shell, common, confirmations, logins, apps, phones, groups, settings, quotas, providers, audit, system, overview,
  sentences, refusals, troubles, quotasInUse, checkNames,
}
