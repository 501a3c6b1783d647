package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in English. */
internal val English: Map<String, String> = mapOf(
    "network" to
        "The service cannot be reached. Check your connection and try again.",
    "problem" to
        "The service refused the login. Scan a new code.",
    "malformed_answer" to
        "The service did not answer as expected. Try again later.",
    "expired" to
        "The login has expired. Scan a new code.",
    "blocked" to
        "The login was blocked, because somebody else may have seen the code. Scan a new one.",
    "ended" to
        "The login is over. Scan a new code.",
    "not_found" to
        "There is no such login, or its code is too old. Scan the code on the screen.",
    "risk_denied" to
        "This login looks too risky, so it was blocked.",
    "proof_required" to
        "This phone is not set up to approve this. Log in to the app first.",
    "key_mismatch" to
        "Somebody may be trying to read along. Nothing was sent. Do not log in this way.",
    "already_answered" to
        "You have already answered this login.",
    "context_unsupported" to
        "This version of the app cannot show what you would approve. Update the app.",
    "plain_refused" to
        "The browser cannot receive the login safely. Use a newer browser.",
    "invalid_link" to
        "This code is not a login of this app.",
    "invalid_app_key" to
        "The app is not set up correctly.",
    "invalid_session_id" to
        "This code is not a login of this app.",
    "invalid_public_user_id" to
        "The app is not set up correctly.",
    "invalid_text" to
        "The app is not set up correctly.",
    "payload_too_long" to
        "The app's answer is too long. Nothing was sent.",
    "unusable_browser_key" to
        "The browser cannot receive the login safely. Nothing was sent.",
    "proof_too_long" to
        "The app is not set up correctly.",
    "unknown_key" to
        "This phone has no key for this user.",
    "reserved_data" to
        "The app may not sign this.",
    "user_authentication_required" to
        "Unlock your phone and try again.",
    "key_store_failed" to
        "The phone's keys cannot be used. Try again.",
    "storage_failed" to
        "The phone's storage cannot be used. Try again.",
    "invalid_configuration" to
        "The app is not set up correctly.",
    "cancelled" to
        "Nothing was sent.",
    "camera_unavailable" to
        "The camera cannot be used. Allow it in the settings and try again.",
    "screen_unavailable" to
        "The screen could not be shown. Try again.",
    "browser_unavailable" to
        "You confirmed the login, but no browser could be opened. Start again with a code.",
    "main_thread" to
        "The app is not set up correctly.",
    "closed" to
        "The app is not set up correctly.",
    "internal" to
        "Something went wrong. Try again.",
)
