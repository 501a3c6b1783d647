package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in German. */
internal val German: Map<String, String> = mapOf(
    "network" to
        "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
    "problem" to
        "Der Dienst hat die Anmeldung abgelehnt. Scannen Sie einen neuen Code.",
    "malformed_answer" to
        "Der Dienst hat nicht wie erwartet geantwortet. Versuchen Sie es später erneut.",
    "expired" to
        "Die Anmeldung ist abgelaufen. Scannen Sie einen neuen Code.",
    "blocked" to
        "Die Anmeldung wurde gesperrt, weil jemand anderes den Code gesehen haben könnte. Scannen Sie einen neuen.",
    "ended" to
        "Die Anmeldung ist beendet. Scannen Sie einen neuen Code.",
    "not_found" to
        "Diese Anmeldung gibt es nicht, oder ihr Code ist zu alt. Scannen Sie den Code auf dem Bildschirm.",
    "risk_denied" to
        "Diese Anmeldung wirkt zu riskant und wurde gesperrt.",
    "proof_required" to
        "Dieses Telefon ist dafür nicht eingerichtet. Melden Sie sich zuerst in der App an.",
    "key_mismatch" to
        "Möglicherweise versucht jemand mitzulesen. Es wurde nichts gesendet. Melden Sie sich so nicht an.",
    "already_answered" to
        "Sie haben diese Anmeldung bereits beantwortet.",
    "context_unsupported" to
        "Diese Version der App kann nicht anzeigen, was Sie freigeben würden. Aktualisieren Sie die App.",
    "plain_refused" to
        "Der Browser kann die Anmeldung nicht sicher empfangen. Verwenden Sie einen neueren Browser.",
    "invalid_link" to
        "Dieser Code ist keine Anmeldung für diese App.",
    "invalid_app_key" to
        "Die App ist nicht richtig eingerichtet.",
    "invalid_session_id" to
        "Dieser Code ist keine Anmeldung für diese App.",
    "invalid_public_user_id" to
        "Die App ist nicht richtig eingerichtet.",
    "invalid_text" to
        "Die App ist nicht richtig eingerichtet.",
    "payload_too_long" to
        "Die Antwort der App ist zu lang. Es wurde nichts gesendet.",
    "unusable_browser_key" to
        "Der Browser kann die Anmeldung nicht sicher empfangen. Es wurde nichts gesendet.",
    "proof_too_long" to
        "Die App ist nicht richtig eingerichtet.",
    "unknown_key" to
        "Dieses Telefon hat keinen Schlüssel für diese Person.",
    "reserved_data" to
        "Die App darf das nicht signieren.",
    "user_authentication_required" to
        "Entsperren Sie Ihr Telefon und versuchen Sie es erneut.",
    "key_store_failed" to
        "Die Schlüssel des Telefons sind nicht verfügbar. Versuchen Sie es erneut.",
    "storage_failed" to
        "Der Speicher des Telefons ist nicht verfügbar. Versuchen Sie es erneut.",
    "invalid_configuration" to
        "Die App ist nicht richtig eingerichtet.",
    "cancelled" to
        "Es wurde nichts gesendet.",
    "camera_unavailable" to
        "Die Kamera ist nicht verfügbar. Erlauben Sie den Zugriff in den Einstellungen und versuchen Sie es erneut.",
    "screen_unavailable" to
        "Die Seite konnte nicht angezeigt werden. Versuchen Sie es erneut.",
    "browser_unavailable" to
        "Sie haben die Anmeldung bestätigt, aber es ließ sich kein Browser öffnen. Beginnen Sie neu mit einem Code.",
    "main_thread" to
        "Die App ist nicht richtig eingerichtet.",
    "closed" to
        "Die App ist nicht richtig eingerichtet.",
    "internal" to
        "Etwas ist schiefgegangen. Versuchen Sie es erneut.",
)
