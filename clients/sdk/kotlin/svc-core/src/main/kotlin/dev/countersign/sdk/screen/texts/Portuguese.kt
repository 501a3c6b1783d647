package dev.countersign.sdk.screen.texts

import dev.countersign.sdk.screen.ScreenTexts

internal val PORTUGUESE: ScreenTexts =
    ScreenTexts(
        language = "pt",
        isRightToLeft = false,
        site = "Site",
        app = "App",
        context = "O que você aprova",
        thisPhone = "Este telefone",
        browserPlace = "Local do navegador",
        browser = "Navegador",
        info = "Informação",
        warning = "Aviso",
        danger = "Perigo",
        refused = "Este login não pode ser confirmado porque o risco é alto demais.",
        confirm = "Confirmar",
        deny = "Recusar",
        readToEnd = "Role até o fim para confirmar.",
        wait = "Você poderá confirmar em instantes.",
        sending = "Enviando sua resposta",
        checkCode = "Digite este código no navegador:",
        close = "Fechar",
        pointCamera = "Aponte a câmera para o código na tela.",
        noCamera = "Não é possível usar a câmera.",
        scanTitle = "Escanear o código",
        opening = "Abrindo o login",
        cameraNeeded = "A câmera é necessária para escanear o código.",
        cameraInSettings = "Permita a câmera nas configurações deste app para escanear o código.",
        allowCamera = "Permitir a câmera",
        openSettings = "Abrir as configurações",
        tryAgain = "Tentar novamente",
        scanAgain = "Escanear novamente",
    )
