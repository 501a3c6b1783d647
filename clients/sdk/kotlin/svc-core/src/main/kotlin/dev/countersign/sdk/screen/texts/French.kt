package dev.countersign.sdk.screen.texts

import dev.countersign.sdk.screen.ScreenTexts

internal val FRENCH: ScreenTexts =
    ScreenTexts(
        language = "fr",
        isRightToLeft = false,
        site = "Site",
        app = "Application",
        context = "Ce que vous approuvez",
        thisPhone = "Ce téléphone",
        browserPlace = "Lieu du navigateur",
        browser = "Navigateur",
        info = "Information",
        warning = "Avertissement",
        danger = "Danger",
        refused = "Cette connexion ne peut pas être confirmée, car le risque est trop élevé.",
        confirm = "Confirmer",
        deny = "Refuser",
        readToEnd = "Faites défiler jusqu’à la fin pour confirmer.",
        wait = "Vous pourrez confirmer dans un instant.",
        sending = "Envoi de votre réponse",
        checkCode = "Saisissez ce code dans le navigateur :",
        close = "Fermer",
        pointCamera = "Dirigez l’appareil photo vers le code à l’écran.",
        noCamera = "L’appareil photo ne peut pas être utilisé.",
        scanTitle = "Scanner le code",
        opening = "Ouverture de la connexion",
        cameraNeeded = "L’appareil photo est nécessaire pour scanner le code.",
        cameraInSettings = "Autorisez l’appareil photo dans les paramètres de cette application pour scanner le code.",
        allowCamera = "Autoriser l’appareil photo",
        openSettings = "Ouvrir les paramètres",
        tryAgain = "Réessayer",
        scanAgain = "Scanner à nouveau",
    )
