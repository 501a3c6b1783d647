package dev.countersign.sdk.screen.texts

import dev.countersign.sdk.screen.ScreenTexts

internal val SPANISH: ScreenTexts =
    ScreenTexts(
        language = "es",
        isRightToLeft = false,
        site = "Sitio",
        app = "Aplicación",
        context = "Lo que aprueba",
        thisPhone = "Este teléfono",
        browserPlace = "Lugar del navegador",
        browser = "Navegador",
        info = "Información",
        warning = "Advertencia",
        danger = "Peligro",
        refused = "Este inicio de sesión no se puede confirmar porque el riesgo es demasiado alto.",
        confirm = "Confirmar",
        deny = "Rechazar",
        readToEnd = "Desplácese hasta el final para confirmar.",
        wait = "Podrá confirmar en un momento.",
        sending = "Enviando su respuesta",
        checkCode = "Escriba este código en el navegador:",
        close = "Cerrar",
        pointCamera = "Apunte la cámara al código de la pantalla.",
        noCamera = "No se puede usar la cámara.",
        scanTitle = "Escanear el código",
        opening = "Abriendo el inicio de sesión",
        cameraNeeded = "Se necesita la cámara para escanear el código.",
        cameraInSettings = "Permita la cámara en los ajustes de esta aplicación para escanear el código.",
        allowCamera = "Permitir la cámara",
        openSettings = "Abrir los ajustes",
        tryAgain = "Intentar de nuevo",
        scanAgain = "Escanear de nuevo",
    )
