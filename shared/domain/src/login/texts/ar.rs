//! Arabic. Names come in isolates, so that they and the sentence do not reorder each other.

use super::{Asker, FlagTexts, LandingTexts, Language, ServerTexts, Texts};

pub(super) const TEXTS: Texts = Texts {
    language: Language::Arabic,
    title: |site| format!("هل تريد تسجيل الدخول إلى {site}؟"),
    message,
    server: ServerTexts {
        approval_title: |site| format!("هل تريد الموافقة على طلب من {site}؟"),
        approval: |site| {
            format!(
                "يطلب منك {site} الموافقة على النص المعروض مع هذا السؤال. لا توافق إلا على ما تتوقعه، \
             وبعد قراءة كل سطر."
            )
        },
        login: |site| {
            format!(
                "يطلب منك {site} تأكيد تسجيل دخول بدأه خادم الموقع. لا تؤكد إلا إذا كنت تسجّل الدخول \
             الآن."
            )
        },
    },
    unknown_place: "مكان غير معروف",
    unknown_browser: "متصفح غير معروف",
    on_system,
    between_sentences: " ",
    flags: FlagTexts {
        browser_attacker: "يستخدم المتصفح عنوانًا سبق أن صدرت منه هجمات.",
        browser_tor: "يخفي المتصفح مكانه باستخدام \u{2068}Tor\u{2069}.",
        countries_differ_hidden: "يبدو أن المتصفح في بلد غير بلد هذا الهاتف، وهو يخفي مكانه.",
        denials: "رُفضت عدة عمليات تسجيل دخول من عنوان المتصفح في الدقائق الأخيرة.",
        phone_tor: "يخفي هذا الهاتف مكانه باستخدام \u{2068}Tor\u{2069}.",
        browser_vpn: "يستخدم المتصفح شبكة \u{2068}VPN\u{2069}، لذا قد يكون في مكان غير الذي يظهر.",
        browser_hosting: "يعمل المتصفح في مركز بيانات، لا حيث يوجد الناس.",
        countries_differ: "المتصفح في بلد غير بلد هذا الهاتف.",
        far_apart: "المتصفح بعيد عن هذا الهاتف.",
        too_fast: "تم تأكيد آخر تسجيل دخول في مكان أبعد مما يسمح به الوقت المنقضي.",
        new_browser: "لم تؤكد مؤخرًا أي تسجيل دخول من هذا المتصفح.",
        place_unknown: "المسافة بين المتصفح وهذا الهاتف غير معروفة.",
        name_unchecked: "لم يذكر التطبيق من الذي يسجّل الدخول، لذا لم تُقارن أي عمليات تسجيل دخول سابقة.",
        same_network: "يستخدم المتصفح وهذا الهاتف الشبكة نفسها.",
    },
    landing: LandingTexts {
        title: "افتح هذا الرابط على هاتفك",
        about: |app| {
            match app {
            Some(app) => format!(
                "هذا الرابط خاص بتسجيل دخول إلى {app}. يُفتح الرابط في تطبيق {app}، لكن التطبيق غير موجود \
                 على هذا الجهاز أو لم يستقبل الرابط."
            ),
            None => "هذا الرابط خاص بتسجيل دخول. يُفتح الرابط في تطبيق الموقع الذي تسجّل الدخول إليه، لكن \
                     التطبيق غير موجود على هذا الجهاز أو لم يستقبل الرابط."
                .to_owned(),
        }
        },
        open_on_phone: "افتح الرابط على الهاتف الذي يوجد عليه التطبيق، أو امسح الرمز بالتطبيق نفسه.",
        get_the_app: "إذا لم يكن لديك التطبيق بعد، فاحصل عليه من الموقع، ثم ارجع واطلب رمزًا جديدًا.",
        not_started_by_you: "إذا لم تبدأ تسجيل دخول بنفسك، فأغلق هذه الصفحة. لم يحدث شيء.",
    },
};

fn on_system(browser: &str, system: &str) -> String {
    format!("{browser} على {system}")
}

fn message(asker: &Asker) -> String {
    let site = &asker.site;
    let browser = asker.browser("متصفح غير معروف", on_system);
    let place = asker.place.as_deref().unwrap_or("مكان غير معروف");
    format!(
        "بدأ تسجيل دخول إلى {site} باستخدام {browser} ({place}). لا تؤكد إلا إذا بدأته بنفسك على شاشة أمامك."
    )
}
