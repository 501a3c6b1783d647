package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in Spanish. */
internal val Spanish: Map<String, String> = mapOf(
    "network" to
        "No se puede contactar con el servicio. Compruebe su conexión e inténtelo de nuevo.",
    "problem" to
        "El servicio ha rechazado el inicio de sesión. Escanee un código nuevo.",
    "malformed_answer" to
        "El servicio no ha respondido como se esperaba. Inténtelo más tarde.",
    "expired" to
        "El inicio de sesión ha caducado. Escanee un código nuevo.",
    "blocked" to
        "El inicio de sesión se ha bloqueado porque otra persona puede haber visto el código. Escanee uno nuevo.",
    "ended" to
        "Este inicio de sesión ha terminado. Escanee un código nuevo.",
    "not_found" to
        "Este inicio de sesión no existe o su código es demasiado antiguo. Escanee el código de la pantalla.",
    "risk_denied" to
        "Este inicio de sesión parece demasiado arriesgado y se ha bloqueado.",
    "proof_required" to
        "Este teléfono no está preparado para aprobar esto. Inicie primero sesión en la aplicación.",
    "key_mismatch" to
        "Alguien puede estar intentando interceptar el inicio de sesión. No se ha enviado nada. No continúe de esta forma.",
    "already_answered" to
        "Ya ha respondido a este inicio de sesión.",
    "context_unsupported" to
        "Esta versión de la aplicación no puede mostrar lo que aprobaría. Actualice la aplicación.",
    "plain_refused" to
        "El navegador no puede recibir el inicio de sesión de forma segura. Use un navegador más reciente.",
    "invalid_link" to
        "Este código no es un inicio de sesión de esta aplicación.",
    "invalid_app_key" to
        "La aplicación no está configurada correctamente.",
    "invalid_session_id" to
        "Este código no es un inicio de sesión de esta aplicación.",
    "invalid_public_user_id" to
        "La aplicación no está configurada correctamente.",
    "invalid_text" to
        "La aplicación no está configurada correctamente.",
    "payload_too_long" to
        "La respuesta de la aplicación es demasiado larga. No se ha enviado nada.",
    "unusable_browser_key" to
        "El navegador no puede recibir el inicio de sesión de forma segura. No se ha enviado nada.",
    "proof_too_long" to
        "La aplicación no está configurada correctamente.",
    "unknown_key" to
        "Este teléfono no tiene ninguna clave de este usuario.",
    "reserved_data" to
        "La aplicación no puede firmar esto.",
    "user_authentication_required" to
        "Desbloquee el teléfono e inténtelo de nuevo.",
    "key_store_failed" to
        "No se pueden usar las claves del teléfono. Inténtelo de nuevo.",
    "storage_failed" to
        "No se puede usar el almacenamiento del teléfono. Inténtelo de nuevo.",
    "invalid_configuration" to
        "La aplicación no está configurada correctamente.",
    "cancelled" to
        "No se ha enviado nada.",
    "camera_unavailable" to
        "No se puede usar la cámara. Permítala en los ajustes e inténtelo de nuevo.",
    "screen_unavailable" to
        "No se pudo mostrar la pantalla. Inténtelo de nuevo.",
    "browser_unavailable" to
        "Ha confirmado el inicio de sesión, pero no se pudo abrir ningún navegador. Empiece de nuevo con un código.",
    "main_thread" to
        "La aplicación no está configurada correctamente.",
    "closed" to
        "La aplicación no está configurada correctamente.",
    "internal" to
        "Algo ha salido mal. Inténtelo de nuevo.",
)
