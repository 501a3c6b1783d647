//! French, with the formal address. A narrow no-break space stands before a question mark.

use super::{Asker, FlagTexts, LandingTexts, Language, ServerTexts, Texts};

pub(super) const TEXTS: Texts = Texts {
    language: Language::French,
    title: |site| format!("Se connecter à {site}\u{202f}?"),
    message,
    server: ServerTexts {
        approval_title: |site| format!("Approuver une demande de {site}\u{202f}?"),
        approval: |site| {
            format!(
                "{site} vous demande d’approuver le texte affiché avec cette question. N’approuvez que ce \
             que vous attendez, après avoir lu chaque ligne."
            )
        },
        login: |site| {
            format!(
                "{site} vous demande de confirmer une connexion lancée par son serveur. Ne confirmez que \
             si vous êtes en train de vous connecter."
            )
        },
    },
    unknown_place: "lieu inconnu",
    unknown_browser: "navigateur inconnu",
    on_system,
    between_sentences: " ",
    flags: FlagTexts {
        browser_attacker: "Le navigateur utilise une adresse d’où sont venues des attaques.",
        browser_tor: "Le navigateur masque sa position avec Tor.",
        countries_differ_hidden: "Le navigateur semble se trouver dans un autre pays que ce téléphone et masque sa position.",
        denials: "Plusieurs connexions depuis l’adresse du navigateur ont été refusées ces dernières minutes.",
        phone_tor: "Ce téléphone masque sa position avec Tor.",
        browser_vpn: "Le navigateur utilise un VPN et peut donc se trouver ailleurs qu’il n’y paraît.",
        browser_hosting: "Le navigateur s’exécute dans un centre de données, et non là où se trouvent des personnes.",
        countries_differ: "Le navigateur se trouve dans un autre pays que ce téléphone.",
        far_apart: "Le navigateur se trouve loin de ce téléphone.",
        too_fast: "La dernière connexion a été confirmée trop loin d’ici pour le temps écoulé.",
        new_browser: "Vous n’avez pas confirmé de connexion depuis ce navigateur récemment.",
        place_unknown: "La distance entre le navigateur et ce téléphone est inconnue.",
        name_unchecked: "L’application n’a pas indiqué qui se connecte. Aucune connexion antérieure n’a donc été comparée.",
        same_network: "Le navigateur et ce téléphone utilisent le même réseau.",
    },
    landing: LandingTexts {
        title: "Ouvrez ce lien sur votre téléphone",
        about: |app| {
            match app {
            Some(app) => format!(
                "Ce lien correspond à une connexion à {app}. Il s’ouvre dans l’application {app}, qui \
                 n’est pas sur cet appareil ou n’a pas pris en charge le lien."
            ),
            None => "Ce lien correspond à une connexion. Il s’ouvre dans l’application du site auquel \
                     vous vous connectez, qui n’est pas sur cet appareil ou n’a pas pris en charge le \
                     lien."
                .to_owned(),
        }
        },
        open_on_phone: "Ouvrez le lien sur le téléphone où se trouve l’application, ou scannez le code avec l’application elle-même.",
        get_the_app: "Si vous n’avez pas encore l’application, téléchargez-la depuis le site, puis revenez et demandez un nouveau code.",
        not_started_by_you: "Si vous n’avez pas lancé de connexion vous-même, fermez cette page. Rien ne s’est passé.",
    },
};

fn on_system(browser: &str, system: &str) -> String {
    format!("{browser} sous {system}")
}

fn message(asker: &Asker) -> String {
    let site = &asker.site;
    let browser = asker.browser("un navigateur inconnu", on_system);
    let place = asker.place.as_deref().unwrap_or("lieu inconnu");
    format!(
        "Une connexion à {site} a été lancée avec {browser} ({place}). Ne confirmez que si vous l’avez \
         lancée vous-même, sur un écran qui se trouve devant vous."
    )
}
