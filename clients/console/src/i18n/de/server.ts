import type { Texts } from '../en/index.ts'

/** The sentences of answers, by their codes. */
export const sentences: Texts['sentences'] = {
  history_damaged: 'Ein Teil der Zählung ist nicht lesbar. Halten Sie den Server an und führen Sie „countersign check --repair“ aus.',
  history_of_table: 'Gezählt ist, was noch in der Tabelle steht: Eine Bestätigung ohne Ergebnis wird nach 24 Stunden gelöscht, eine Anmeldung nach einigen Minuten, eine abgeschlossene Bestätigung nach der Aufbewahrungsfrist der Installation.',
  history_bounded: 'Nur die neuesten {most} Bestätigungen und Anmeldungen wurden gelesen. Die Stunden vor {reached} fehlen deshalb.',
  history_unreadable: 'Nicht lesbare Dokumente: {documents}.',
  history_totals: 'Dies sind die Summen der Metriken in CloudWatch; die letzten Minuten können noch fehlen. „SMS gesendet“ zählt SMS: Eine zweite mit demselben Code zählt noch einmal.',
  history_only_totals: 'CloudWatch kennt nur Summen, deshalb kommen diese Zahlen aus der Tabelle.',
  history_without_totals: 'Die Summen von CloudWatch fehlen: {cause}.',
  history_partial_totals: 'CloudWatch hat nicht alle Zahlen geliefert.',

  calls_of_stopped_server: 'Der Server ist angehalten, und nur ein laufender merkt sich die letzten Aufrufe. Sie stehen auch in seinem Log.',
  calls_of_functions: 'Die Funktionen merken sich keine Aufrufe. Jeder steht in der Log-Gruppe der Funktion inbound-sms, mit Anbieter, Status und Grund; die Metriken inbound_refused und inbound_ignored zählen sie.',

  trial_accepted: '{url} hat die signierte SMS angenommen ({status}). Ob auch {title} dieses Geheimnis ({secret}) und diese URL hat, zeigt nur eine echte SMS von einem Telefon.',
  trial_not_authentic: '{url} hat mit {status} geantwortet: Der Server hat andere Geheimnisse oder eine andere öffentliche URL.',
  trial_other_host: '{url} hat mit {status} geantwortet: Der Server kennt diesen Host nicht. Starten Sie ihn mit --public-url.',
  trial_off: '{url} hat mit {status} geantwortet: Der Anbieter ist dort ausgeschaltet.',
  trial_refused: '{url} hat mit {status} geantwortet.',
  trial_unanswered: '{server} hat diesem Rechner nicht geantwortet ({failure}). Vermutlich erreicht auch {title} den Server nicht.',

  link_no_host: 'Die App hat keinen Link-Host und damit auch keine Anmeldungen: countersign app update {app} --link-host login.shop.example',
  link_host_too_long: 'Der Host ist zu lang für einen Link.',
  link_host_local: '{host} ist auf jedem Telefon das Telefon selbst, deshalb erreicht kein Telefon diesen Server. Geben Sie dem Server einen Namen im Internet (--public-url) und der App diesen Namen als Link-Host.',
  link_certificate_local: 'Im lokalen Betrieb gibt es keines, deshalb prüfen Telefone die Links nicht.',
  link_addresses: 'Führt zu {addresses}.',
  link_port: 'Apple fragt nur Port 443, deshalb öffnen iPhones diese Links nicht in der App.',
  link_certificate_good: 'Telefone akzeptieren es bis {until} (noch {days} Tage).',
  link_certificate_overdue: 'Telefone akzeptieren es nur noch bis {until} ({days} Tage): Es hätte längst erneuert werden müssen.',
  link_not_connected: 'An Port {port} nimmt nichts Verbindungen an.',
  link_certificate_no_tls: 'Telefone lehnen es ab: Der Server spricht kein TLS, das sie verstehen, oder hat aufgelegt.',
  link_certificate_expired: 'Telefone lehnen es ab: Es ist am {at} abgelaufen.',
  link_certificate_not_yet_valid: 'Telefone lehnen es ab: Es gilt erst ab {at}.',
  link_certificate_other_names: 'Telefone lehnen es ab: Es ist für andere Namen ausgestellt ({names}).',
  link_certificate_no_intermediate: 'Telefone lehnen es ab: Keine Zertifizierungsstelle, der sie vertrauen, hat es direkt signiert, und der Server schickt kein Zwischenzertifikat mit. Lassen Sie ihn die ganze Kette senden.',
  link_certificate_unknown_issuer: 'Telefone lehnen es ab: Keine Zertifizierungsstelle, der sie vertrauen, hat es signiert.',
  link_certificate_revoked: 'Telefone lehnen es ab: Es wurde widerrufen.',
  link_certificate_refused: 'Telefone lehnen es ab.',
  link_media_type_android: 'Der Medientyp ist {type}; Android akzeptiert nur application/json.',
  link_media_type_ios: 'Der Medientyp ist {type}; Apple verlangt application/json.',
  link_opens_android: 'Android öffnet die Links in {apps}.',
  link_opens_ios: 'iOS öffnet die Links in {apps}. Telefone bekommen die Datei von Apple, dessen Kopie bis zu einen Tag alt sein kann.',
  link_no_app: 'In den Einstellungen steht keine App für {system} ({option}), deshalb öffnet {system} die Links im Browser.',
  link_file_too_large: 'Die Datei ist größer als die 128 KiB, die Apple akzeptiert.',
  link_redirect: 'Der Host antwortet mit {status}, einer Weiterleitung. Telefone folgen ihr nicht.',
  link_not_found: 'Der Host antwortet mit 404: Er führt nicht zu diesem Dienst, oder der Dienst kennt ihn nicht.',
  link_status: 'Der Host antwortet mit {status} statt mit 200.',
  link_file_no_statements: 'Telefone können mit der Datei nichts anfangen: Sie ist keine JSON-Liste von Statements.',
  link_file_no_details: 'Telefone können mit der Datei nichts anfangen: Sie ist kein JSON mit applinks und details.',
  link_file_no_app: 'Telefone können mit der Datei nichts anfangen: {app} fehlt darin.',
  link_file_no_certificate: 'Telefone können mit der Datei nichts anfangen: {package} steht darin, aber nicht mit dem Zertifikat {fingerprint}.',
  link_file_other_form: 'Telefone können mit der Datei nichts anfangen: Das Zertifikat von {package} ist anders geschrieben. Schreiben Sie {fingerprint}.',
  link_file_not_covered: 'Telefone können mit der Datei nichts anfangen: {app} steht darin, aber keines der Muster erlaubt Links wie /?sessionId=qrs_…',
  link_no_address: 'Der Name hat keine Adresse. Legen Sie den DNS-Eintrag an.',
  link_not_resolved: 'Der Name ließ sich nicht auflösen.',
  link_private_address: 'Der Name führt zu einer Adresse, die Telefone im Internet nicht erreichen ({purpose}).',
  link_port_refused: 'Mit Port {port} verbindet sich dieser Dienst nicht.',
  link_name_refused: 'Einen solchen Namen gibt es im Internet nicht.',
  link_no_answer: 'Der Host hat nicht geantwortet: {failure}.',
}

/** Why a request is refused, by the codes of refusals. */
export const refusals: Texts['refusals'] = {
  unknown_app: 'Eine App namens {app} gibt es nicht.',
  unlisted_page: 'Die Seite {page} steht nicht in der Liste von {app}.',
  page_without_origin: 'Zu {page} kann die App nicht zurückkehren, weil der Ursprung dieser Seite nicht unter „Seiten, die Anmeldungen beginnen“ steht. Tragen Sie ihn zuerst dort ein.',
  no_sender_for_all: 'Mindestens eine Nummer muss für alle Länder gelten: eine ohne Land davor, etwa +12025550199.',
  language_twice: 'Die Sprache {language} steht zweimal da.',
  callback_outside_origins: '{origin}, der Ursprung der Callback-URL, gehört nicht zu den erlaubten Ursprüngen der App.',
  callback_not_allowed: 'Diese Callback-URL ist nicht erlaubt. Sie muss mit https:// beginnen und zu einem öffentlichen Host führen.',
  link_host_loopback: 'Links zu localhost führen jeden Menschen zu seinem eigenen Gerät. Nehmen Sie den Namen dieses Dienstes, etwa login.shop.example.',
  link_host_elsewhere: 'Links zu {given} führen nicht zu diesem Server. Auf diesem Rechner ist er unter {ours} erreichbar: Nehmen Sie {ours}.',
  too_many_keys: '{app} hat schon so viele aktive Schlüssel wie erlaubt. Widerrufen Sie zuerst einen.',
  unknown_key: '{app} hat keinen Schlüssel {key}.',
  unknown_association_key: '{app} hat keinen Schlüssel {key} für Anmeldungen.',
  next_key_waits: 'Ein neuer Schlüssel ist schon veröffentlicht und signiert ab {until}. Vorher kommt kein weiterer dazu.',
  too_many_signing_keys: 'Es sind noch zu viele frühere Signaturschlüssel veröffentlicht. Jeder bleibt es sieben Tage lang; warten Sie, bis der älteste wegfällt.',
  keys_in_kms: 'Die Schlüssel einer Installation auf AWS liegen in KMS. Der Dienst zeigt die der Webhooks unter /.well-known/jwks.json und die der ID-Tokens unter /openid/jwks.json; wie man sie ersetzt, steht in docs/operations.md.',
  two_secrets_in_force: 'Es gelten schon zwei Geheimnisse. Ziehen Sie zuerst das alte zurück.',
  one_secret_in_force: 'Es gilt nur ein Geheimnis; es lässt sich nicht zurückziehen.',
  no_callback: 'Die App hat keine voreingestellte Callback-URL. Geben Sie eine an.',
  callback_origin_not_allowed: 'Die App erlaubt keine Callbacks an diesen Ursprung.',
  unknown_id: 'Zur ID {id} gibt es nichts, oder es wurde schon gelöscht.',
  not_open: 'Nur eine offene Bestätigung lässt sich abbrechen; diese ist: {state}.',
  not_live: 'Nur eine laufende Anmeldung lässt sich abbrechen; diese ist: {state}.',
  phone_settled: 'Nur die Einrichtung eines Telefons, die noch läuft, lässt sich abbrechen; diese ist: {state}.',
  not_verified: 'Nur eine abgeschlossene Bestätigung hat einen Webhook; diese ist: {state}.',
  attempt_under_way: 'Gerade läuft ein Versuch. Warten Sie, bis er zu Ende ist, höchstens eine halbe Minute.',
  data_erased: 'Die personenbezogenen Daten sind gelöscht, und der Webhook würde sie enthalten.',
  no_webhook: 'Es gibt keinen Webhook: Der OpenID-Anbieter hat die Bestätigung gestartet.',
  still_open: 'Die Bestätigung ist noch offen. Brechen Sie sie ab, oder warten Sie, bis sie endet.',
  webhook_pending: 'Der Webhook enthält die Daten noch. Warten Sie, bis er zugestellt oder aufgegeben ist.',
  no_number: 'Es gibt keine Nummer: Es ist keine SMS gekommen, oder die personenbezogenen Daten sind gelöscht.',
}

const REPLICATED = 'Wenn ein anderes Programm den Speicher sichert, etwa Litestream, können Sie das ignorieren.'

/** What needs attention, by kind. */
export const troubles: Texts['troubles'] = {
  receiver_failing: {
    title: '{receiver} nimmt die Webhooks von {app} nicht an',
    detail: ({ givenUp, waiting, status, failure }) => {
      const counts = [givenUp === '0' ? '' : `${givenUp} aufgegeben`, waiting === '0' ? '' : `${waiting} warten auf den nächsten Versuch`]
      const last = status ? ` Die letzte Antwort war ${status}.` : failure ? ` Zuletzt kam keine Antwort: ${failure}.` : ''
      return `Webhooks der letzten 24 Stunden: ${counts.filter((one) => one !== '').join(', ')}.${last}`
    },
    step: ({ givenUp }) => (
      givenUp === '0'
        ? 'Bringen Sie den Empfänger in Ordnung; die Versuche gehen weiter.'
        : 'Bringen Sie den Empfänger in Ordnung, dann senden Sie die gescheiterten Webhooks noch einmal.'
    ),
  },
  receiver_unknown: {
    title: 'Ob Empfänger ihre Webhooks annehmen, ist nicht bekannt',
    detail: 'Die Bestätigungen sind nicht lesbar: {cause}',
    step: 'Verwenden Sie Zugangsdaten, die Bestätigungen lesen dürfen.',
  },
  provider_refused: {
    title: 'Aufrufe eines Anbieters werden abgelehnt',
    detail: 'In den letzten 24 Stunden wurde ein Aufruf wegen Signatur oder Zeit abgelehnt und seitdem keiner angenommen. Entweder hat der Anbieter ein anderes Geheimnis oder eine andere öffentliche URL, oder die Uhr dieses Rechners geht falsch. Jeder kann die URL aufrufen; vielleicht war es auch ein Fremder.',
  },
  secret_rotation: {
    title: 'Für {app} gelten zwei Webhook-Geheimnisse',
    detail: 'Ein Wechsel wurde begonnen und nicht abgeschlossen. Sobald der Server der App mit dem neuen Geheimnis prüft, kann das alte weg.',
  },
  secret_replacement: {
    title: 'Das Geheimnis, aus dem die Webhook-Geheimnisse abgeleitet sind, wird gerade ersetzt',
    detail: 'Webhooks werden mit Geheimnissen aus beiden signiert. Sobald der Server jeder App sein neues hat, kann das alte weg.',
  },
  signing_keys_full: {
    title: 'Im Moment lässt sich kein weiterer Signaturschlüssel erzeugen',
    detail: '{keys} frühere Schlüssel sind noch veröffentlicht, jeder bis sieben Tage nach seiner Ablösung. Ein Wechsel würde abgelehnt.',
    step: 'Warten Sie, bis der älteste nicht mehr veröffentlicht ist.',
  },
  apps_unreadable: {
    title: 'Nicht lesbare Apps: {apps}',
    detail: 'Ihre Dokumente sind beschädigt, oder eine neuere Version hat sie geschrieben.',
    step: 'Stellen Sie sie aus einer Point-in-Time-Sicherung der Tabelle wieder her, oder verwenden Sie die Version, die sie geschrieben hat.',
  },
  store_damaged: {
    title: 'Der Speicher ist beschädigt',
    detail: 'Seit dem Start wurden beschädigte Stellen gefunden: {found}. Alles andere funktioniert. Halten Sie den Server vor der Prüfung an; sie sagt, was zu tun ist.',
  },
  store_refuses_writes: {
    title: 'Der Server schreibt nichts mehr',
    detail: 'Ein anderes Programm hat die Dateien des Servers verändert: {cause}.',
    step: 'Stellen Sie die Dateien wieder her und starten Sie den Server neu.',
  },
  store_write_failed: {
    title: 'Der letzte Schreibvorgang ist gescheitert',
    detail: 'Die Festplatte ist voll oder defekt. Die Ursache steht im Log.',
    step: 'Schaffen Sie Platz, oder ersetzen Sie die Festplatte.',
  },
  backup_missing: {
    title: 'Es gibt keine Sicherung',
    detail: `„countersign backup“ hat auf diesem Rechner noch keine geschrieben. ${REPLICATED}`,
  },
  backup_old: {
    title: 'Die letzte Sicherung ist {days} Tage alt',
    detail: `Sie liegt in {file}. ${REPLICATED}`,
  },
  backup_incomplete: {
    title: 'Die letzte Sicherung ist unvollständig',
    detail: 'Beschädigte Dokumente, die darin fehlen: {documents}.',
  },
  web_phone_without_passkeys: {
    title: 'Für {app} lässt sich kein Telefon ohne App einrichten',
    detail: 'Die App erlaubt nur Passkeys, und für {host} legen Browser keine an, weil es eine IP-Adresse ist. Im lokalen Betrieb ist der Name localhost.',
  },
  quota_nearly_used: {
    title: '{app} hat {used} von höchstens {most}: {quota}',
    detail: 'Ist das Kontingent aufgebraucht, antwortet die API dem Server der App mit 429.',
  },
}

/** The words for the quotas in `quota_nearly_used`, by option. */
export const quotasInUse: Texts['quotasInUse'] = {
  'max-open-confirmations': 'offene Bestätigungen',
  'max-open-logins': 'offene Anmeldungen',
  'max-association-keys': 'Schlüssel von Personen',
}

export const checkNames: Texts['checkNames'] = { Certificate: 'Zertifikat', 'Link host': 'Link-Host' }
