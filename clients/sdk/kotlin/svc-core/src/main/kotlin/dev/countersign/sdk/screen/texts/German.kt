package dev.countersign.sdk.screen.texts

import dev.countersign.sdk.screen.ScreenTexts

internal val GERMAN: ScreenTexts =
    ScreenTexts(
        language = "de",
        isRightToLeft = false,
        site = "Website",
        app = "App",
        context = "Was Sie genehmigen",
        thisPhone = "Dieses Telefon",
        browserPlace = "Ort des Browsers",
        browser = "Browser",
        info = "Hinweis",
        warning = "Warnung",
        danger = "Gefahr",
        refused = "Diese Anmeldung kann nicht bestätigt werden, weil das Risiko zu hoch ist.",
        confirm = "Bestätigen",
        deny = "Ablehnen",
        readToEnd = "Scrollen Sie zum Ende, um zu bestätigen.",
        wait = "Sie können gleich bestätigen.",
        sending = "Ihre Antwort wird gesendet",
        checkCode = "Geben Sie diesen Code im Browser ein:",
        close = "Schließen",
        pointCamera = "Richten Sie die Kamera auf den Code auf dem Bildschirm.",
        noCamera = "Die Kamera kann nicht verwendet werden.",
        scanTitle = "Code scannen",
        opening = "Die Anmeldung wird geöffnet",
        cameraNeeded = "Zum Scannen des Codes wird die Kamera benötigt.",
        cameraInSettings = "Erlauben Sie die Kamera in den Einstellungen dieser App, um den Code zu scannen.",
        allowCamera = "Kamera erlauben",
        openSettings = "Einstellungen öffnen",
        tryAgain = "Erneut versuchen",
        scanAgain = "Erneut scannen",
    )
