package dev.countersign.sdk.messages

/** The sentences of [dev.countersign.sdk.SvcException] in Japanese. */
internal val Japanese: Map<String, String> = mapOf(
    "network" to
        "サービスに接続できません。接続を確認して、もう一度お試しください。",
    "problem" to
        "サービスがログインを拒否しました。新しいコードを読み取ってください。",
    "malformed_answer" to
        "サービスから予期しない応答がありました。しばらくしてからお試しください。",
    "expired" to
        "ログインの有効期限が切れました。新しいコードを読み取ってください。",
    "blocked" to
        "ほかの人がコードを見た可能性があるため、ログインはブロックされました。新しいコードを読み取ってください。",
    "ended" to
        "このログインは終了しています。新しいコードを読み取ってください。",
    "not_found" to
        "このログインは存在しないか、コードが古すぎます。画面のコードを読み取ってください。",
    "risk_denied" to
        "このログインは危険と判断され、ブロックされました。",
    "proof_required" to
        "このスマートフォンは承認用に設定されていません。先にアプリにログインしてください。",
    "key_mismatch" to
        "第三者が盗み見ようとしている可能性があります。何も送信されていません。この方法でログインしないでください。",
    "already_answered" to
        "このログインにはすでに回答済みです。",
    "context_unsupported" to
        "このバージョンのアプリは承認内容を表示できません。アプリを更新してください。",
    "plain_refused" to
        "ブラウザーはログインを安全に受け取れません。新しいブラウザーをお使いください。",
    "invalid_link" to
        "このコードはこのアプリのログインではありません。",
    "invalid_app_key" to
        "アプリが正しく設定されていません。",
    "invalid_session_id" to
        "このコードはこのアプリのログインではありません。",
    "invalid_public_user_id" to
        "アプリが正しく設定されていません。",
    "invalid_text" to
        "アプリが正しく設定されていません。",
    "payload_too_long" to
        "アプリの回答が長すぎます。何も送信されていません。",
    "unusable_browser_key" to
        "ブラウザーはログインを安全に受け取れません。何も送信されていません。",
    "proof_too_long" to
        "アプリが正しく設定されていません。",
    "unknown_key" to
        "このスマートフォンにはこのユーザーの鍵がありません。",
    "reserved_data" to
        "アプリはこのデータに署名できません。",
    "user_authentication_required" to
        "スマートフォンのロックを解除して、もう一度お試しください。",
    "key_store_failed" to
        "スマートフォンの鍵を使用できません。もう一度お試しください。",
    "storage_failed" to
        "スマートフォンのストレージを使用できません。もう一度お試しください。",
    "invalid_configuration" to
        "アプリが正しく設定されていません。",
    "cancelled" to
        "何も送信されていません。",
    "camera_unavailable" to
        "カメラを使用できません。設定で許可して、もう一度お試しください。",
    "screen_unavailable" to
        "画面を表示できませんでした。もう一度お試しください。",
    "browser_unavailable" to
        "ログインは承認されましたが、ブラウザーを開けませんでした。コードを使ってやり直してください。",
    "main_thread" to
        "アプリが正しく設定されていません。",
    "closed" to
        "アプリが正しく設定されていません。",
    "internal" to
        "問題が発生しました。もう一度お試しください。",
)
