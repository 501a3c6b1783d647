package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in French. */
internal val French: Map<String, String> = mapOf(
    "network" to
        "Le service est injoignable. Vérifiez votre connexion et réessayez.",
    "problem" to
        "Le service a refusé la connexion. Scannez un nouveau code.",
    "malformed_answer" to
        "Le service n'a pas répondu comme prévu. Réessayez plus tard.",
    "expired" to
        "La demande de connexion a expiré. Scannez un nouveau code.",
    "blocked" to
        "La connexion a été bloquée, car quelqu'un d'autre a peut-être vu le code. Scannez-en un nouveau.",
    "ended" to
        "Cette connexion est terminée. Scannez un nouveau code.",
    "not_found" to
        "Cette connexion n'existe pas, ou son code est trop ancien. Scannez le code affiché à l'écran.",
    "risk_denied" to
        "Cette connexion semble trop risquée et a été bloquée.",
    "proof_required" to
        "Ce téléphone n'est pas configuré pour approuver cette demande. Connectez-vous d'abord à l'application.",
    "key_mismatch" to
        "Quelqu'un essaie peut-être d'intercepter la connexion. Rien n'a été envoyé. Ne vous connectez pas ainsi.",
    "already_answered" to
        "Vous avez déjà répondu à cette demande.",
    "context_unsupported" to
        "Cette version de l'application ne peut pas afficher ce que vous approuveriez. Mettez-la à jour.",
    "plain_refused" to
        "Le navigateur ne peut pas recevoir la connexion en toute sécurité. Utilisez un navigateur plus récent.",
    "invalid_link" to
        "Ce code n'est pas une connexion pour cette application.",
    "invalid_app_key" to
        "L'application n'est pas configurée correctement.",
    "invalid_session_id" to
        "Ce code n'est pas une connexion pour cette application.",
    "invalid_public_user_id" to
        "L'application n'est pas configurée correctement.",
    "invalid_text" to
        "L'application n'est pas configurée correctement.",
    "payload_too_long" to
        "La réponse de l'application est trop longue. Rien n'a été envoyé.",
    "unusable_browser_key" to
        "Le navigateur ne peut pas recevoir la connexion en toute sécurité. Rien n'a été envoyé.",
    "proof_too_long" to
        "L'application n'est pas configurée correctement.",
    "unknown_key" to
        "Ce téléphone n'a pas de clé pour cet utilisateur.",
    "reserved_data" to
        "L'application n'a pas le droit de signer ceci.",
    "user_authentication_required" to
        "Déverrouillez votre téléphone et réessayez.",
    "key_store_failed" to
        "Les clés du téléphone sont inutilisables. Réessayez.",
    "storage_failed" to
        "Le stockage du téléphone est inutilisable. Réessayez.",
    "invalid_configuration" to
        "L'application n'est pas configurée correctement.",
    "cancelled" to
        "Rien n'a été envoyé.",
    "camera_unavailable" to
        "L'appareil photo est inutilisable. Autorisez-le dans les paramètres et réessayez.",
    "screen_unavailable" to
        "L'écran n'a pas pu être affiché. Réessayez.",
    "browser_unavailable" to
        "Vous avez confirmé la connexion, mais aucun navigateur n’a pu être ouvert. Recommencez avec un code.",
    "main_thread" to
        "L'application n'est pas configurée correctement.",
    "closed" to
        "L'application n'est pas configurée correctement.",
    "internal" to
        "Un problème est survenu. Réessayez.",
)
