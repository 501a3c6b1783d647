package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in Portuguese, as in Brazil. */
internal val Portuguese: Map<String, String> = mapOf(
    "network" to
        "Não foi possível acessar o serviço. Verifique sua conexão e tente novamente.",
    "problem" to
        "O serviço recusou o login. Escaneie um novo código.",
    "malformed_answer" to
        "O serviço não respondeu como esperado. Tente novamente mais tarde.",
    "expired" to
        "O login expirou. Escaneie um novo código.",
    "blocked" to
        "O login foi bloqueado porque outra pessoa pode ter visto o código. Escaneie um novo.",
    "ended" to
        "Este login já terminou. Escaneie um novo código.",
    "not_found" to
        "Este login não existe ou o código é antigo demais. Escaneie o código da tela.",
    "risk_denied" to
        "Este login parece arriscado demais e foi bloqueado.",
    "proof_required" to
        "Este telefone não está configurado para aprovar isto. Entre primeiro no aplicativo.",
    "key_mismatch" to
        "Alguém pode estar tentando interceptar o login. Nada foi enviado. Não entre desta forma.",
    "already_answered" to
        "Você já respondeu a este login.",
    "context_unsupported" to
        "Esta versão do aplicativo não consegue mostrar o que você aprovaria. Atualize o aplicativo.",
    "plain_refused" to
        "O navegador não consegue receber o login com segurança. Use um navegador mais recente.",
    "invalid_link" to
        "Este código não é um login deste aplicativo.",
    "invalid_app_key" to
        "O aplicativo não está configurado corretamente.",
    "invalid_session_id" to
        "Este código não é um login deste aplicativo.",
    "invalid_public_user_id" to
        "O aplicativo não está configurado corretamente.",
    "invalid_text" to
        "O aplicativo não está configurado corretamente.",
    "payload_too_long" to
        "A resposta do aplicativo é longa demais. Nada foi enviado.",
    "unusable_browser_key" to
        "O navegador não consegue receber o login com segurança. Nada foi enviado.",
    "proof_too_long" to
        "O aplicativo não está configurado corretamente.",
    "unknown_key" to
        "Este telefone não tem uma chave deste usuário.",
    "reserved_data" to
        "O aplicativo não pode assinar isto.",
    "user_authentication_required" to
        "Desbloqueie o telefone e tente novamente.",
    "key_store_failed" to
        "Não é possível usar as chaves do telefone. Tente novamente.",
    "storage_failed" to
        "Não é possível usar o armazenamento do telefone. Tente novamente.",
    "invalid_configuration" to
        "O aplicativo não está configurado corretamente.",
    "cancelled" to
        "Nada foi enviado.",
    "camera_unavailable" to
        "Não é possível usar a câmera. Permita-a nas configurações e tente novamente.",
    "screen_unavailable" to
        "Não foi possível mostrar a tela. Tente novamente.",
    "browser_unavailable" to
        "Você confirmou o login, mas não foi possível abrir um navegador. Comece de novo com um código.",
    "main_thread" to
        "O aplicativo não está configurado corretamente.",
    "closed" to
        "O aplicativo não está configurado corretamente.",
    "internal" to
        "Algo deu errado. Tente novamente.",
)
