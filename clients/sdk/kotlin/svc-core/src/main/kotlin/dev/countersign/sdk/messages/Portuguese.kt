package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in Portuguese. */
internal val Portuguese: Map<String, String> = mapOf(
    "network" to
        "Não é possível contactar o serviço. Verifique a ligação e tente novamente.",
    "problem" to
        "O serviço recusou o início de sessão. Leia um novo código.",
    "malformed_answer" to
        "O serviço não respondeu como esperado. Tente mais tarde.",
    "expired" to
        "O início de sessão expirou. Leia um novo código.",
    "blocked" to
        "O início de sessão foi bloqueado, porque outra pessoa pode ter visto o código. Leia um novo.",
    "ended" to
        "Este início de sessão terminou. Leia um novo código.",
    "not_found" to
        "Este início de sessão não existe ou o código é demasiado antigo. Leia o código no ecrã.",
    "risk_denied" to
        "Este início de sessão parece demasiado arriscado e foi bloqueado.",
    "proof_required" to
        "Este telefone não está preparado para aprovar isto. Inicie primeiro sessão na aplicação.",
    "key_mismatch" to
        "Alguém pode estar a tentar intercetar o início de sessão. Nada foi enviado. Não continue desta forma.",
    "already_answered" to
        "Já respondeu a este início de sessão.",
    "context_unsupported" to
        "Esta versão da aplicação não consegue mostrar o que aprovaria. Atualize a aplicação.",
    "plain_refused" to
        "O navegador não consegue receber o início de sessão em segurança. Use um navegador mais recente.",
    "invalid_link" to
        "Este código não é um início de sessão desta aplicação.",
    "invalid_app_key" to
        "A aplicação não está configurada corretamente.",
    "invalid_session_id" to
        "Este código não é um início de sessão desta aplicação.",
    "invalid_public_user_id" to
        "A aplicação não está configurada corretamente.",
    "invalid_text" to
        "A aplicação não está configurada corretamente.",
    "payload_too_long" to
        "A resposta da aplicação é demasiado longa. Nada foi enviado.",
    "unusable_browser_key" to
        "O navegador não consegue receber o início de sessão em segurança. Nada foi enviado.",
    "proof_too_long" to
        "A aplicação não está configurada corretamente.",
    "unknown_key" to
        "Este telefone não tem uma chave deste utilizador.",
    "reserved_data" to
        "A aplicação não pode assinar isto.",
    "user_authentication_required" to
        "Desbloqueie o telefone e tente novamente.",
    "key_store_failed" to
        "Não é possível usar as chaves do telefone. Tente novamente.",
    "storage_failed" to
        "Não é possível usar o armazenamento do telefone. Tente novamente.",
    "invalid_configuration" to
        "A aplicação não está configurada corretamente.",
    "cancelled" to
        "Nada foi enviado.",
    "camera_unavailable" to
        "Não é possível usar a câmara. Permita-a nas definições e tente novamente.",
    "screen_unavailable" to
        "Não foi possível mostrar o ecrã. Tente novamente.",
    "browser_unavailable" to
        "Você confirmou o login, mas não foi possível abrir um navegador. Comece de novo com um código.",
    "main_thread" to
        "A aplicação não está configurada corretamente.",
    "closed" to
        "A aplicação não está configurada corretamente.",
    "internal" to
        "Algo correu mal. Tente novamente.",
)
