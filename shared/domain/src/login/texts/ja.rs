//! Japanese, in the polite form.

use super::{Asker, FlagTexts, LandingTexts, Language, ServerTexts, Texts};

pub(super) const TEXTS: Texts = Texts {
    language: Language::Japanese,
    title: |site| format!("{site} にログインしますか？"),
    message,
    server: ServerTexts {
        approval_title: |site| format!("{site} からの依頼を承認しますか？"),
        approval: |site| {
            format!(
                "{site} が、この質問とともに表示されている内容の承認を求めています。すべての行を読み、心当たりのある内容だけを承認してください。"
            )
        },
        login: |site| {
            format!(
                "{site} のサーバーが開始したログインの承認を求めています。今ご自身がログインしている場合にのみ承認してください。"
            )
        },
    },
    unknown_place: "不明な場所",
    unknown_browser: "不明なブラウザ",
    on_system,
    between_sentences: "",
    flags: FlagTexts {
        browser_attacker: "ブラウザは、過去に攻撃元となったアドレスを使用しています。",
        browser_tor: "ブラウザは Tor を使って場所を隠しています。",
        countries_differ_hidden: "ブラウザはこの電話とは別の国にあるようで、場所を隠しています。",
        denials: "このブラウザのアドレスからのログインが、この数分間に何度も拒否されています。",
        phone_tor: "この電話は Tor を使って場所を隠しています。",
        browser_vpn: "ブラウザは VPN を使用しているため、実際の場所は表示と異なる可能性があります。",
        browser_hosting: "ブラウザは、人のいる場所ではなくデータセンターで動作しています。",
        countries_differ: "ブラウザはこの電話とは別の国にあります。",
        far_apart: "ブラウザはこの電話から遠く離れています。",
        too_fast: "前回ログインを承認した場所は、経過時間に対して遠すぎます。",
        new_browser: "最近、このブラウザからのログインを承認したことがありません。",
        place_unknown: "ブラウザとこの電話がどれだけ離れているかは不明です。",
        name_unchecked: "アプリが利用者を示していないため、以前のログインとは比較していません。",
        same_network: "ブラウザとこの電話は同じネットワークを使用しています。",
    },
    landing: LandingTexts {
        title: "このリンクはスマートフォンで開いてください",
        about: |app| {
            match app {
            Some(app) => format!(
                "これは {app} へのログイン用のリンクです。{app} のアプリで開きますが、アプリがこの端末に\
                 ないか、リンクを開けませんでした。"
            ),
            None => "これはログイン用のリンクです。ログイン先のサイトのアプリで開きますが、アプリがこの端末に\
                     ないか、リンクを開けませんでした。"
                .to_owned(),
        }
        },
        open_on_phone: "アプリの入ったスマートフォンでリンクを開くか、アプリでコードを読み取ってください。",
        get_the_app: "アプリをお持ちでない場合は、サイトから入手し、元のページに戻って新しいコードを表示してください。",
        not_started_by_you: "ご自身でログインを始めていない場合は、このページを閉じてください。何も行われていません。",
    },
};

fn on_system(browser: &str, system: &str) -> String {
    format!("{browser}（{system}）")
}

fn message(asker: &Asker) -> String {
    let site = &asker.site;
    let browser = asker.browser("不明なブラウザ", on_system);
    let place = asker.place.as_deref().unwrap_or("不明な場所");
    format!(
        "{site} へのログインが開始されました。ブラウザ：{browser}、場所：{place}。目の前の画面でご自身が開始\
         した場合にのみ承認してください。"
    )
}
