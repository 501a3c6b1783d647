//! The command line of `countersign console`.

use std::path::PathBuf;

use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The page is on 127.0.0.1 of this machine. From another one, forward a port to a socket that only you can \
                  open: `ssh -t -L 9000:/home/me/.countersign/console.sock HOST countersign console --socket \
                  /home/me/.countersign/console.sock`. docs/console.md has more ways."
)]
pub(crate) struct ConsoleArgs {
    /// The port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// Listen on a Unix socket instead of a port, for `ssh -L 9000:PATH`; the directory must be yours and closed to
    /// others
    #[arg(long, value_name = "PATH", conflicts_with_all = ["port", "in_container"])]
    pub(crate) socket: Option<PathBuf>,
    /// Listen on all interfaces of this container, because a published port does not reach 127.0.0.1; publish it on
    /// 127.0.0.1 only (`-p 127.0.0.1:9000:9000`). Refused outside of containers, where other machines would reach it
    #[arg(long, requires = "port")]
    pub(crate) in_container: bool,
    /// Only print the link
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Refuse every change, and keep phone numbers masked: for support staff
    #[arg(long)]
    pub(crate) read_only: bool,
}
