package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in Italian. */
internal val Italian: Map<String, String> = mapOf(
    "network" to
        "Il servizio non è raggiungibile. Controlli la connessione e riprovi.",
    "problem" to
        "Il servizio ha rifiutato l’accesso. Scansioni un nuovo codice.",
    "malformed_answer" to
        "Il servizio non ha risposto come previsto. Riprovi più tardi.",
    "expired" to
        "L’accesso è scaduto. Scansioni un nuovo codice.",
    "blocked" to
        "L’accesso è stato bloccato, perché qualcun altro potrebbe aver visto il codice. Ne scansioni uno nuovo.",
    "ended" to
        "Questo accesso è terminato. Scansioni un nuovo codice.",
    "not_found" to
        "Questo accesso non esiste o il suo codice è troppo vecchio. Scansioni il codice sullo schermo.",
    "risk_denied" to
        "Questo accesso sembra troppo rischioso ed è stato bloccato.",
    "proof_required" to
        "Questo telefono non è configurato per approvare. Acceda prima all’app.",
    "key_mismatch" to
        "Qualcuno potrebbe cercare di intercettare l’accesso. Non è stato inviato nulla. Non acceda in questo modo.",
    "already_answered" to
        "Ha già risposto a questo accesso.",
    "context_unsupported" to
        "Questa versione dell’app non può mostrare ciò che approverebbe. Aggiorni l’app.",
    "plain_refused" to
        "Il browser non può ricevere l’accesso in modo sicuro. Usi un browser più recente.",
    "invalid_link" to
        "Questo codice non è un accesso di questa app.",
    "invalid_app_key" to
        "L’app non è configurata correttamente.",
    "invalid_session_id" to
        "Questo codice non è un accesso di questa app.",
    "invalid_public_user_id" to
        "L’app non è configurata correttamente.",
    "invalid_text" to
        "L’app non è configurata correttamente.",
    "payload_too_long" to
        "La risposta dell’app è troppo lunga. Non è stato inviato nulla.",
    "unusable_browser_key" to
        "Il browser non può ricevere l’accesso in modo sicuro. Non è stato inviato nulla.",
    "proof_too_long" to
        "L’app non è configurata correttamente.",
    "unknown_key" to
        "Questo telefono non ha una chiave per questo utente.",
    "reserved_data" to
        "L’app non può firmare questi dati.",
    "user_authentication_required" to
        "Sblocchi il telefono e riprovi.",
    "key_store_failed" to
        "Le chiavi del telefono non sono utilizzabili. Riprovi.",
    "storage_failed" to
        "La memoria del telefono non è utilizzabile. Riprovi.",
    "invalid_configuration" to
        "L’app non è configurata correttamente.",
    "cancelled" to
        "Non è stato inviato nulla.",
    "camera_unavailable" to
        "La fotocamera non è utilizzabile. La consenta nelle impostazioni e riprovi.",
    "screen_unavailable" to
        "Non è stato possibile mostrare la schermata. Riprovi.",
    "browser_unavailable" to
        "Ha confermato l’accesso, ma non è stato possibile aprire un browser. Ricominci con un codice.",
    "main_thread" to
        "L’app non è configurata correttamente.",
    "closed" to
        "L’app non è configurata correttamente.",
    "internal" to
        "Qualcosa è andato storto. Riprovi.",
)
