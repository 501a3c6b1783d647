//! Italian, with the formal address.

use super::{Asker, FlagTexts, LandingTexts, Language, ServerTexts, Texts};

pub(super) const TEXTS: Texts = Texts {
    language: Language::Italian,
    title: |site| format!("Accedere a {site}?"),
    message,
    server: ServerTexts {
        approval_title: |site| format!("Approvare una richiesta di {site}?"),
        approval: |site| {
            format!(
                "{site} Le chiede di approvare il testo mostrato con questa domanda. Approvi solo ciò che \
             si aspetta, dopo aver letto ogni riga."
            )
        },
        login: |site| {
            format!(
                "{site} Le chiede di confermare un accesso avviato dal suo server. Confermi solo se sta \
             accedendo in questo momento."
            )
        },
    },
    unknown_place: "luogo sconosciuto",
    unknown_browser: "browser sconosciuto",
    on_system,
    between_sentences: " ",
    flags: FlagTexts {
        browser_attacker: "Il browser usa un indirizzo da cui sono partiti attacchi.",
        browser_tor: "Il browser nasconde dove si trova usando Tor.",
        countries_differ_hidden: "Il browser sembra trovarsi in un Paese diverso da quello di questo telefono e nasconde dove si trova.",
        denials: "Negli ultimi minuti sono stati rifiutati più accessi dall’indirizzo del browser.",
        phone_tor: "Questo telefono nasconde dove si trova usando Tor.",
        browser_vpn: "Il browser usa una VPN e quindi potrebbe non essere dove sembra.",
        browser_hosting: "Il browser è in esecuzione in un centro dati, non dove si trovano persone.",
        countries_differ: "Il browser si trova in un Paese diverso da quello di questo telefono.",
        far_apart: "Il browser è lontano da questo telefono.",
        too_fast: "L’ultimo accesso è stato confermato troppo lontano per il tempo trascorso.",
        new_browser: "Di recente non ha confermato accessi da questo browser.",
        place_unknown: "Non si sa quanto siano distanti tra loro il browser e questo telefono.",
        name_unchecked: "L’app non ha indicato chi sta accedendo, quindi non sono stati confrontati accessi precedenti.",
        same_network: "Il browser e questo telefono usano la stessa rete.",
    },
    landing: LandingTexts {
        title: "Apra questo link sul Suo telefono",
        about: |app| {
            match app {
            Some(app) => format!(
                "Questo link appartiene a un accesso a {app}. Si apre nell’app di {app}, che non è su \
                 questo dispositivo o non ha accettato il link."
            ),
            None => "Questo link appartiene a un accesso. Si apre nell’app del sito a cui sta accedendo, \
                     che non è su questo dispositivo o non ha accettato il link."
                .to_owned(),
        }
        },
        open_on_phone: "Apra il link sul telefono in cui è installata l’app oppure scansioni il codice con l’app stessa.",
        get_the_app: "Se non ha ancora l’app, la scarichi dal sito, poi torni indietro e richieda un nuovo codice.",
        not_started_by_you: "Se non ha avviato Lei un accesso, chiuda questa pagina. Non è successo nulla.",
    },
};

fn on_system(browser: &str, system: &str) -> String {
    format!("{browser} su {system}")
}

fn message(asker: &Asker) -> String {
    let site = &asker.site;
    let browser = asker.browser("un browser sconosciuto", on_system);
    let place = asker.place.as_deref().unwrap_or("luogo sconosciuto");
    format!(
        "È stato avviato un accesso a {site} con {browser} ({place}). Confermi solo se è stato avviato da \
         Lei, su uno schermo che ha davanti."
    )
}
