//! The command line of `countersign console`.

use clap::Args;

#[derive(Clone, Copy, Debug, Args)]
#[command(
    after_help = "The page is on 127.0.0.1 of this machine. From another one, forward a port: \
                  `ssh -L 9000:127.0.0.1:9000 HOST countersign console --port 9000 --no-browser`."
)]
pub(crate) struct ConsoleArgs {
    /// The port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// Only print the link
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Refuse every change, and keep phone numbers masked: for support staff
    #[arg(long)]
    pub(crate) read_only: bool,
}
