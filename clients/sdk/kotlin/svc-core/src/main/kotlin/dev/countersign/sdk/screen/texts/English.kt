package dev.countersign.sdk.screen.texts

import dev.countersign.sdk.screen.ScreenTexts

internal val ENGLISH: ScreenTexts =
    ScreenTexts(
        language = "en",
        isRightToLeft = false,
        site = "Site",
        app = "App",
        context = "What you approve",
        thisPhone = "This phone",
        browserPlace = "The browser is in",
        browser = "Browser",
        info = "Information",
        warning = "Warning",
        danger = "Danger",
        refused = "This login cannot be confirmed, because the risk is too high.",
        confirm = "Confirm",
        deny = "Deny",
        readToEnd = "Scroll to the end to confirm.",
        wait = "You can confirm in a moment.",
        sending = "Sending your answer",
        checkCode = "Type this code at the browser:",
        close = "Close",
        pointCamera = "Point the camera at the code on the screen.",
        noCamera = "The camera cannot be used.",
        scanTitle = "Scan the code",
        opening = "Opening the login",
        cameraNeeded = "The camera is needed to scan the code.",
        cameraInSettings = "Allow the camera in the settings of this app to scan the code.",
        allowCamera = "Allow camera",
        openSettings = "Open settings",
        tryAgain = "Try again",
        scanAgain = "Scan again",
    )
