package dev.countersign.sdk.screen.texts

import dev.countersign.sdk.screen.ScreenTexts

internal val JAPANESE: ScreenTexts =
    ScreenTexts(
        language = "ja",
        isRightToLeft = false,
        site = "サイト",
        app = "アプリ",
        context = "承認する内容",
        thisPhone = "このスマートフォン",
        browserPlace = "ブラウザーの場所",
        browser = "ブラウザー",
        info = "情報",
        warning = "警告",
        danger = "危険",
        refused = "リスクが高すぎるため、このログインは承認できません。",
        confirm = "承認",
        deny = "拒否",
        readToEnd = "承認するには最後までスクロールしてください。",
        wait = "まもなく承認できます。",
        sending = "回答を送信しています",
        checkCode = "このコードをブラウザーに入力してください：",
        close = "閉じる",
        pointCamera = "画面のコードにカメラを向けてください。",
        noCamera = "カメラを使用できません。",
        scanTitle = "コードをスキャン",
        opening = "ログインを開いています",
        cameraNeeded = "コードをスキャンするにはカメラが必要です。",
        cameraInSettings = "コードをスキャンするには、このアプリの設定でカメラを許可してください。",
        allowCamera = "カメラを許可",
        openSettings = "設定を開く",
        tryAgain = "再試行",
        scanAgain = "もう一度スキャン",
    )
