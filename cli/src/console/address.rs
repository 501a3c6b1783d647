//! Where the console listens.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use crate::args::ConsoleArgs;
use crate::failure::Failure;

/// Files that Docker and Podman create in every container.
const MARKS: [&str; 2] = ["/.dockerenv", "/run/.containerenv"];

/// Variables that Podman, LXC, systemd and Kubernetes set in every container.
const VARIABLES: [&str; 2] = ["container", "KUBERNETES_SERVICE_HOST"];

/// The port that the printed link names if the console has none: that of the examples.
const FORWARDED_PORT: u16 = 9000;

/// An address to listen on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// Port 0 picks a free one.
    Tcp(SocketAddr),
    Socket(PathBuf),
}

impl Address {
    /// Reads the command line. All interfaces are for containers only: elsewhere, other machines would reach them.
    pub(super) fn of(args: &ConsoleArgs) -> Result<Self, Failure> {
        Self::here(
            args,
            is_container(Path::exists, |name| std::env::var_os(name)),
        )
    }

    fn here(args: &ConsoleArgs, is_container: bool) -> Result<Self, Failure> {
        if let Some(path) = &args.socket {
            return Ok(Self::Socket(path.clone()));
        }
        if !args.in_container {
            return Ok(Self::Tcp((Ipv4Addr::LOCALHOST, args.port).into()));
        }
        if !is_container {
            return Err(Failure::new(
                "this is not a container, so --in-container would let other machines reach the console: leave it out \
                 (in a container that is not recognized, set the variable `container`, as Podman does)",
            ));
        }
        if args.port == 0 {
            return Err(Failure::new(
                "--in-container needs the port that the container publishes, such as --port 9000",
            ));
        }
        Ok(Self::Tcp((Ipv4Addr::UNSPECIFIED, args.port).into()))
    }

    /// Returns whether a browser on this machine can open it.
    pub(super) fn is_loopback(&self) -> bool {
        matches!(self, Self::Tcp(address) if address.ip().is_loopback())
    }
}

/// Returns the origin that the browser uses if the port is the same on its side.
pub(super) fn origin(bound: Option<SocketAddr>) -> String {
    let port = bound.map_or(FORWARDED_PORT, |bound| bound.port());
    format!("http://{}:{port}", Ipv4Addr::LOCALHOST)
}

fn is_container(exists: fn(&Path) -> bool, variable: fn(&str) -> Option<OsString>) -> bool {
    MARKS.into_iter().any(|mark| exists(Path::new(mark)))
        || VARIABLES
            .into_iter()
            .any(|name| variable(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARGS: ConsoleArgs = ConsoleArgs {
        port: 0,
        socket: None,
        in_container: false,
        no_browser: false,
        read_only: false,
    };

    fn tcp(address: &str) -> Address {
        Address::Tcp(address.parse().unwrap())
    }

    #[test]
    fn only_a_container_opens_all_interfaces() {
        let plain = Address::here(&ARGS, true).unwrap();
        assert_eq!(plain, tcp("127.0.0.1:0"));
        assert!(plain.is_loopback());
        let args = ConsoleArgs {
            port: 9000,
            in_container: true,
            ..ARGS
        };
        let inside = Address::here(&args, true).unwrap();
        assert_eq!(inside, tcp("0.0.0.0:9000"));
        assert!(!inside.is_loopback());
        let outside = Address::here(&args, false).unwrap_err().to_string();
        assert!(outside.contains("not a container"), "{outside}");
        let any = Address::here(&ConsoleArgs { port: 0, ..args }, true).unwrap_err();
        assert!(any.to_string().contains("--port 9000"), "{any}");
    }

    #[test]
    fn containers_are_known_by_their_marks() {
        let none: fn(&str) -> Option<OsString> = |_| None;
        assert!(!is_container(|_| false, none));
        assert!(is_container(|path| path == Path::new("/.dockerenv"), none));
        assert!(is_container(
            |path| path == Path::new("/run/.containerenv"),
            none
        ));
        let podman = |name: &str| (name == "container").then(|| "podman".into());
        assert!(is_container(|_| false, podman));
        let unset = |name: &str| (name == "container").then(OsString::new);
        assert!(!is_container(|_| false, unset));
        let pod = |name: &str| (name == "KUBERNETES_SERVICE_HOST").then(|| "10.0.0.1".into());
        assert!(is_container(|_| false, pod));
    }
}
