package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in Italian. */
internal val Italian: Map<String, String> = mapOf(
    "network" to
        "Il servizio non è raggiungibile. Controlla la connessione e riprova.",
    "problem" to
        "Il servizio ha rifiutato l'accesso. Scansiona un nuovo codice.",
    "malformed_answer" to
        "Il servizio non ha risposto come previsto. Riprova più tardi.",
    "expired" to
        "L'accesso è scaduto. Scansiona un nuovo codice.",
    "blocked" to
        "L'accesso è stato bloccato, perché qualcun altro potrebbe aver visto il codice. Scansionane uno nuovo.",
    "ended" to
        "Questo accesso è terminato. Scansiona un nuovo codice.",
    "not_found" to
        "Questo accesso non esiste o il suo codice è troppo vecchio. Scansiona il codice sullo schermo.",
    "risk_denied" to
        "Questo accesso sembra troppo rischioso ed è stato bloccato.",
    "proof_required" to
        "Questo telefono non è configurato per approvare. Accedi prima all'app.",
    "key_mismatch" to
        "Qualcuno potrebbe cercare di intercettare l'accesso. Non è stato inviato nulla. Non accedere in questo modo.",
    "already_answered" to
        "Hai già risposto a questo accesso.",
    "context_unsupported" to
        "Questa versione dell'app non può mostrare ciò che approveresti. Aggiorna l'app.",
    "plain_refused" to
        "Il browser non può ricevere l'accesso in modo sicuro. Usa un browser più recente.",
    "invalid_link" to
        "Questo codice non è un accesso di questa app.",
    "invalid_app_key" to
        "L'app non è configurata correttamente.",
    "invalid_session_id" to
        "Questo codice non è un accesso di questa app.",
    "invalid_public_user_id" to
        "L'app non è configurata correttamente.",
    "invalid_text" to
        "L'app non è configurata correttamente.",
    "payload_too_long" to
        "La risposta dell'app è troppo lunga. Non è stato inviato nulla.",
    "unusable_browser_key" to
        "Il browser non può ricevere l'accesso in modo sicuro. Non è stato inviato nulla.",
    "proof_too_long" to
        "L'app non è configurata correttamente.",
    "unknown_key" to
        "Questo telefono non ha una chiave per questo utente.",
    "reserved_data" to
        "L'app non può firmare questi dati.",
    "user_authentication_required" to
        "Sblocca il telefono e riprova.",
    "key_store_failed" to
        "Le chiavi del telefono non sono utilizzabili. Riprova.",
    "storage_failed" to
        "La memoria del telefono non è utilizzabile. Riprova.",
    "invalid_configuration" to
        "L'app non è configurata correttamente.",
    "cancelled" to
        "Non è stato inviato nulla.",
    "camera_unavailable" to
        "La fotocamera non è utilizzabile. Consentila nelle impostazioni e riprova.",
    "screen_unavailable" to
        "Non è stato possibile mostrare la schermata. Riprova.",
    "browser_unavailable" to
        "Ha confermato l’accesso, ma non è stato possibile aprire un browser. Ricominci con un codice.",
    "main_thread" to
        "L'app non è configurata correttamente.",
    "closed" to
        "L'app non è configurata correttamente.",
    "internal" to
        "Qualcosa è andato storto. Riprova.",
)
