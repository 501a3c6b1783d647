//! `countersign console`: a page on loopback for operators.
//!
//! It sends the same requests as the commands, to the same targets, so the service has no admin route. Loopback is no
//! wall: other users of the machine and pages of other sites reach the port. So each request is checked
//! ([`guard`](mod@guard)), and all but the page's own files need the session of this run ([`session`]).

mod address;
mod browser;
mod facts;
mod guard;
mod refusal;
mod routes;
mod session;
mod shell;
mod socket;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use countersign_domain::primitives::entropy::Entropy;
use countersign_system::entropy::OsEntropy;
use tokio::runtime::Builder;
use tokio::sync::{OnceCell, watch};

use crate::admin::Place;
use crate::admin::target::Target;
use crate::args::ConsoleArgs;
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::metrics::Counters;
use crate::serve::http::{self, Host, Limits};
use crate::serve::listen::listen;
use crate::serve::signals::Signals;
use crate::terminal;

use address::{Address, origin};
use browser::LinkFile;
use session::{Ended, Session};
use socket::ConsoleSocket;

/// Worker threads: opening the data of a stopped server occupies one.
const THREADS: usize = 2;

/// State shared by the handlers.
struct Console {
    place: Place,
    read_only: bool,
    session: Session,
    /// The person whom a table's audit log names.
    operator: OnceCell<String>,
}

/// Serves the console until a signal stops it or its session is over.
pub(crate) fn run(target: Target<'_>, args: ConsoleArgs) -> Result<ExitCode, Failure> {
    if let Target::Data(path) = target {
        DataDir::existing(path)?;
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .map_err(|error| Failure::because("cannot start", &error))?;
    runtime.block_on(serve(target.into(), args))
}

async fn serve(place: Place, args: ConsoleArgs) -> Result<ExitCode, Failure> {
    let address = Address::of(&args)?;
    let mut signals = Signals::listen()?;
    let counters = Counters::new().map_err(|error| Failure::because("cannot count", &error))?;
    let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy);
    let console = Arc::new(Console {
        place,
        read_only: args.read_only,
        session: Session::begin(entropy.as_ref()),
        operator: OnceCell::new(),
    });
    let (stop, stopping) = watch::channel(false);
    let host = Host {
        limits: Limits::admin(),
        trusted_proxies: Vec::new(),
        counters: Arc::new(counters),
        entropy,
    };
    let router = routes::router(Arc::clone(&console));
    let (serving, bound, socket) = match &address {
        Address::Socket(path) => {
            let ConsoleSocket { listener, file } = ConsoleSocket::bind(path)?;
            let serving = tokio::spawn(http::serve(listener, router, host, stopping));
            (serving, None, Some(file))
        }
        Address::Tcp(address) => {
            let (listener, bound) = listen(*address, "--port")?;
            let serving = tokio::spawn(http::serve(listener, router, host, stopping));
            (serving, Some(bound), None)
        }
    };
    let link = format!("{}/#code={}", origin(bound), console.session.code());
    let socket_path = socket.as_ref().map(|file| file.path.as_path());
    terminal::print(&greeting(&console, socket_path, &link))?;
    // Kept until the end: the browser may read it at any time.
    let opens = address.is_loopback() && !args.no_browser;
    let _file = if opens { show(&link) } else { None };
    let ended = tokio::select! {
        () = signals.first() => None,
        why = console.session.ended() => Some(why),
    };
    tokio::spawn(signals.exit_at_the_next());
    stop.send_replace(true);
    let _ = serving.await;
    match ended {
        None => Ok(ExitCode::SUCCESS),
        Some(Ended::Idle) => {
            terminal::print("The console was not used for four hours, so it has ended.")?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Ended::NotOpened) => Err(Failure::new(
            "the link was not opened within two minutes: run the command again",
        )),
    }
}

fn greeting(console: &Console, socket: Option<&Path>, link: &str) -> String {
    let read_only = if console.read_only {
        " (for reading only)"
    } else {
        ""
    };
    let forward = match socket {
        Some(path) => format!(
            "Forward a port of your machine to it:\n\n  ssh -L 9000:{} HOST\n\n",
            path.display()
        ),
        None => String::new(),
    };
    format!(
        "The console of {}{read_only}. {forward}The link works once, for two minutes:\n\n  {link}\n\nPress Ctrl-C to end it.",
        console.place
    )
}

/// Opens the browser. Without one, the person still has the link.
fn show(link: &str) -> Option<LinkFile> {
    let opened = LinkFile::write(link).and_then(|file| file.open().map(|()| file));
    match opened {
        Ok(file) => Some(file),
        Err(error) => {
            terminal::complain(&format!(
                "countersign: cannot open a browser ({error}): open the link yourself"
            ));
            None
        }
    }
}
