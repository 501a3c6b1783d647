//! The operator's console as a process, and a client of it.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::Http;

/// A console that runs until it is dropped.
pub(crate) struct Console {
    child: Child,
    /// The origin in the link, `http://127.0.0.1:PORT`.
    pub(crate) origin: String,
    pub(crate) code: String,
    /// The lines before the link.
    pub(crate) greeting: String,
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Console {
    pub(crate) fn start(data: &Path, args: &[&str]) -> Self {
        Self::run(&mut Self::command(data, args))
    }

    /// Returns the command that starts a console, for more settings.
    pub(crate) fn command<A: AsRef<OsStr>>(data: &Path, args: &[A]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        command.args(["console", "--no-browser", "--data"]);
        command.arg(data).args(args);
        command
    }

    /// Starts a console and waits for its link.
    pub(crate) fn run(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut greeting = String::new();
        let link = lines.find_map(|line| {
            let line = line.unwrap();
            greeting.push_str(&line);
            greeting.push('\n');
            let (origin, code) = line.trim().split_once("/#code=")?;
            Some((origin.to_owned(), code.to_owned()))
        });
        let (origin, code) = link.expect("a link");
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            origin,
            code,
            greeting,
        }
    }

    /// Returns a client with the headers of the page before it has a session.
    pub(crate) fn page(&self) -> Http {
        Self::page_at(&self.origin)
    }

    /// Works like [`page`](Self::page) for a page that reaches a console under another origin.
    pub(crate) fn page_at(origin: &str) -> Http {
        Http::new(origin)
            .with("origin", origin)
            .with("sec-fetch-site", "same-origin")
    }

    /// Exchanges the code and returns a client with the session.
    pub(crate) async fn open(&self) -> Http {
        self.open_at(&self.origin).await
    }

    /// Works like [`open`](Self::open) for a page that reaches the console under another origin.
    pub(crate) async fn open_at(&self, origin: &str) -> Http {
        let code = json!({ "code": self.code });
        let opened = Self::page_at(origin).post("/session", &code).await;
        let cookie = opened.headers["set-cookie"].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let opened = opened.ok();
        Self::page_at(origin)
            .with("cookie", &cookie)
            .with("countersign-console", opened["secret"].as_str().unwrap())
    }

    /// Stops it as Ctrl-C does, and returns whether it ended well.
    pub(crate) fn interrupt(mut self) -> bool {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().success()
    }
}
