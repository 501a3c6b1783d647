//! German, with the formal address.

use super::{Asker, FlagTexts, LandingTexts, Language, ServerTexts, Texts};

pub(super) const TEXTS: Texts = Texts {
    language: Language::German,
    title: |site| format!("Bei {site} anmelden?"),
    message,
    server: ServerTexts {
        approval_title: |site| format!("Anfrage von {site} bestätigen?"),
        approval: |site| {
            format!(
                "{site} bittet Sie, den Text zu bestätigen, der bei dieser Frage steht. Bestätigen Sie \
             nur, was Sie erwarten, und erst, wenn Sie jede Zeile gelesen haben."
            )
        },
        login: |site| {
            format!(
                "{site} bittet Sie, eine Anmeldung zu bestätigen, die der Server der Website gestartet \
             hat. Bestätigen Sie nur, wenn Sie sich gerade anmelden."
            )
        },
    },
    unknown_place: "unbekannter Ort",
    unknown_browser: "unbekannter Browser",
    on_system,
    between_sentences: " ",
    flags: FlagTexts {
        browser_attacker: "Der Browser nutzt eine Adresse, von der Angriffe ausgegangen sind.",
        browser_tor: "Der Browser verbirgt mit Tor, wo er ist.",
        countries_differ_hidden: "Der Browser scheint in einem anderen Land zu sein als dieses Telefon und verbirgt, wo er ist.",
        denials: "Von der Adresse des Browsers wurden in den letzten Minuten mehrere Anmeldungen abgelehnt.",
        phone_tor: "Dieses Telefon verbirgt mit Tor, wo es ist.",
        browser_vpn: "Der Browser nutzt ein VPN und kann daher woanders sein, als es scheint.",
        browser_hosting: "Der Browser läuft in einem Rechenzentrum und nicht dort, wo Menschen sind.",
        countries_differ: "Der Browser ist in einem anderen Land als dieses Telefon.",
        far_apart: "Der Browser ist weit von diesem Telefon entfernt.",
        too_fast: "Die letzte Anmeldung wurde für die Zeit dazwischen zu weit entfernt bestätigt.",
        new_browser: "Sie haben in letzter Zeit keine Anmeldung in diesem Browser bestätigt.",
        place_unknown: "Es ist nicht bekannt, wie weit der Browser und dieses Telefon voneinander entfernt sind.",
        name_unchecked: "Die App hat nicht angegeben, wer sich anmeldet. Daher wurden keine früheren Anmeldungen verglichen.",
        same_network: "Der Browser und dieses Telefon nutzen dasselbe Netz.",
    },
    landing: LandingTexts {
        title: "Öffnen Sie diesen Link auf Ihrem Telefon",
        about: |app| match app {
            Some(app) => format!(
                "Dieser Link gehört zu einer Anmeldung bei {app}. Er öffnet sich in der App von {app}, \
                 die auf diesem Gerät fehlt oder den Link nicht angenommen hat."
            ),
            None => {
                "Dieser Link gehört zu einer Anmeldung. Er öffnet sich in der App der Website, bei \
                     der Sie sich anmelden; sie fehlt auf diesem Gerät oder hat den Link nicht \
                     angenommen."
                    .to_owned()
            }
        },
        open_on_phone: "Öffnen Sie den Link auf dem Telefon mit der App, oder scannen Sie den Code mit der App selbst.",
        get_the_app: "Wenn Sie die App noch nicht haben, laden Sie sie über die Website. Gehen Sie dann zurück und fordern Sie einen neuen Code an.",
        not_started_by_you: "Wenn Sie selbst keine Anmeldung gestartet haben, schließen Sie diese Seite. Es ist nichts geschehen.",
    },
};

fn on_system(browser: &str, system: &str) -> String {
    format!("{browser} unter {system}")
}

fn message(asker: &Asker) -> String {
    let site = &asker.site;
    let browser = asker.browser("einem unbekannten Browser", on_system);
    let place = match &asker.place {
        Some(place) => format!("in {place}"),
        None => "an einem unbekannten Ort".to_owned(),
    };
    format!(
        "Mit {browser} wurde {place} eine Anmeldung bei {site} gestartet. Bestätigen Sie nur, wenn Sie \
         sie selbst gestartet haben, auf einem Bildschirm vor Ihnen."
    )
}
