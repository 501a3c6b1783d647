//! Spanish, with the formal address.

use super::{Asker, FlagTexts, LandingTexts, Language, ServerTexts, Texts};

pub(super) const TEXTS: Texts = Texts {
    language: Language::Spanish,
    title: |site| format!("¿Iniciar sesión en {site}?"),
    message,
    server: ServerTexts {
        approval_title: |site| format!("¿Aprobar una solicitud de {site}?"),
        approval: |site| {
            format!(
                "{site} le pide que apruebe el texto que aparece con esta pregunta. Apruebe solo lo que \
             espera, después de leer cada línea."
            )
        },
        login: |site| {
            format!(
                "{site} le pide que confirme un inicio de sesión que ha iniciado su servidor. Confírmelo \
             solo si está iniciando sesión en este momento."
            )
        },
    },
    unknown_place: "lugar desconocido",
    unknown_browser: "navegador desconocido",
    on_system,
    between_sentences: " ",
    flags: FlagTexts {
        browser_attacker: "El navegador usa una dirección desde la que se han producido ataques.",
        browser_tor: "El navegador oculta dónde está mediante Tor.",
        countries_differ_hidden: "El navegador parece estar en un país distinto al de este teléfono y oculta dónde está.",
        denials: "En los últimos minutos se han rechazado varios inicios de sesión desde la dirección del navegador.",
        phone_tor: "Este teléfono oculta dónde está mediante Tor.",
        browser_vpn: "El navegador usa una VPN, por lo que puede no estar donde parece.",
        browser_hosting: "El navegador se ejecuta en un centro de datos, no donde hay personas.",
        countries_differ: "El navegador está en un país distinto al de este teléfono.",
        far_apart: "El navegador está lejos de este teléfono.",
        too_fast: "El último inicio de sesión se confirmó demasiado lejos para el tiempo transcurrido.",
        new_browser: "No ha confirmado recientemente ningún inicio de sesión desde este navegador.",
        place_unknown: "No se sabe a qué distancia están el navegador y este teléfono.",
        name_unchecked: "La aplicación no ha indicado quién inicia sesión, por lo que no se han comparado inicios de sesión anteriores.",
        same_network: "El navegador y este teléfono usan la misma red.",
    },
    landing: LandingTexts {
        title: "Abra este enlace en su teléfono",
        about: |app| {
            match app {
            Some(app) => format!(
                "Este enlace pertenece a un inicio de sesión en {app}. Se abre en la aplicación de {app}, \
                 que no está en este dispositivo o no ha aceptado el enlace."
            ),
            None => "Este enlace pertenece a un inicio de sesión. Se abre en la aplicación del sitio en \
                     el que inicia sesión, que no está en este dispositivo o no ha aceptado el enlace."
                .to_owned(),
        }
        },
        open_on_phone: "Abra el enlace en el teléfono que tiene la aplicación o escanee el código con la propia aplicación.",
        get_the_app: "Si aún no tiene la aplicación, descárguela desde el sitio; después vuelva y pida un código nuevo.",
        not_started_by_you: "Si usted no ha iniciado sesión, cierre esta página. No ha ocurrido nada.",
    },
};

fn on_system(browser: &str, system: &str) -> String {
    format!("{browser} en {system}")
}

fn message(asker: &Asker) -> String {
    let site = &asker.site;
    let browser = asker.browser("un navegador desconocido", on_system);
    let place = asker.place.as_deref().unwrap_or("lugar desconocido");
    format!(
        "Se ha solicitado un inicio de sesión en {site} con {browser} ({place}). Confírmelo solo si lo \
         ha solicitado usted, en una pantalla que tiene delante."
    )
}
