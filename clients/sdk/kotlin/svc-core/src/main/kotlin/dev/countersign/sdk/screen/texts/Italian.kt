package dev.countersign.sdk.screen.texts

import dev.countersign.sdk.screen.ScreenTexts

internal val ITALIAN: ScreenTexts =
    ScreenTexts(
        language = "it",
        isRightToLeft = false,
        site = "Sito",
        app = "App",
        context = "Che cosa approva",
        thisPhone = "Questo telefono",
        browserPlace = "Luogo del browser",
        browser = "Browser",
        info = "Informazione",
        warning = "Avviso",
        danger = "Pericolo",
        refused = "Questo accesso non può essere confermato perché il rischio è troppo alto.",
        confirm = "Conferma",
        deny = "Rifiuta",
        readToEnd = "Scorra fino alla fine per confermare.",
        wait = "Potrà confermare tra un momento.",
        sending = "Invio della risposta",
        checkCode = "Inserisca questo codice nel browser:",
        close = "Chiudi",
        pointCamera = "Inquadri il codice sullo schermo.",
        noCamera = "La fotocamera non può essere usata.",
        scanTitle = "Scansiona il codice",
        opening = "Apertura dell’accesso",
        cameraNeeded = "Per scansionare il codice serve la fotocamera.",
        cameraInSettings = "Consenta la fotocamera nelle impostazioni di questa app per scansionare il codice.",
        allowCamera = "Consenti la fotocamera",
        openSettings = "Apri le impostazioni",
        tryAgain = "Riprova",
        scanAgain = "Scansiona di nuovo",
    )
