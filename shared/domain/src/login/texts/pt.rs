//! Portuguese, in its Brazilian form.

use super::{Asker, FlagTexts, LandingTexts, Language, ServerTexts, Texts};

pub(super) const TEXTS: Texts = Texts {
    language: Language::Portuguese,
    title: |site| format!("Entrar em {site}?"),
    message,
    server: ServerTexts {
        approval_title: |site| format!("Aprovar um pedido de {site}?"),
        approval: |site| {
            format!(
                "{site} pede que você aprove o texto exibido com esta pergunta. Aprove somente o que você \
             espera, depois de ler cada linha."
            )
        },
        login: |site| {
            format!(
                "{site} pede que você confirme um login iniciado pelo servidor do site. Confirme somente \
             se você está fazendo login neste momento."
            )
        },
    },
    unknown_place: "local desconhecido",
    unknown_browser: "navegador desconhecido",
    on_system,
    between_sentences: " ",
    flags: FlagTexts {
        browser_attacker: "O navegador usa um endereço de onde já partiram ataques.",
        browser_tor: "O navegador esconde onde está usando o Tor.",
        countries_differ_hidden: "O navegador parece estar em um país diferente do deste telefone e esconde onde está.",
        denials: "Vários logins a partir do endereço do navegador foram negados nos últimos minutos.",
        phone_tor: "Este telefone esconde onde está usando o Tor.",
        browser_vpn: "O navegador usa uma VPN e, por isso, pode não estar onde parece.",
        browser_hosting: "O navegador é executado em um data center, e não onde há pessoas.",
        countries_differ: "O navegador está em um país diferente do deste telefone.",
        far_apart: "O navegador está longe deste telefone.",
        too_fast: "O último login foi confirmado longe demais para o tempo decorrido.",
        new_browser: "Você não confirmou nenhum login deste navegador recentemente.",
        place_unknown: "Não se sabe a que distância o navegador e este telefone estão um do outro.",
        name_unchecked: "O aplicativo não informou quem está entrando. Por isso, nenhum login anterior foi comparado.",
        same_network: "O navegador e este telefone usam a mesma rede.",
    },
    landing: LandingTexts {
        title: "Abra este link no seu telefone",
        about: |app| match app {
            Some(app) => format!(
                "Este link pertence a um login em {app}. Ele abre no aplicativo {app}, que não está neste \
                 dispositivo ou não aceitou o link."
            ),
            None => {
                "Este link pertence a um login. Ele abre no aplicativo do site em que você está \
                     entrando, que não está neste dispositivo ou não aceitou o link."
                    .to_owned()
            }
        },
        open_on_phone: "Abra o link no telefone que tem o aplicativo ou escaneie o código com o próprio aplicativo.",
        get_the_app: "Se você ainda não tem o aplicativo, baixe-o pelo site, depois volte e peça um novo código.",
        not_started_by_you: "Se você não iniciou nenhum login, feche esta página. Nada aconteceu.",
    },
};

fn on_system(browser: &str, system: &str) -> String {
    format!("{browser} no {system}")
}

fn message(asker: &Asker) -> String {
    let site = &asker.site;
    let browser = asker.browser("um navegador desconhecido", on_system);
    let place = asker.place.as_deref().unwrap_or("local desconhecido");
    format!(
        "Um login em {site} foi iniciado com {browser} ({place}). Confirme somente se foi você quem o \
         iniciou, em uma tela à sua frente."
    )
}
