//! What the server prints when it is ready.

use std::fmt;
use std::net::SocketAddr;

use crate::args::LISTEN_PORT;
use crate::console;
use crate::data_dir::DataDir;
use crate::demo::{Demo, DemoFile, KeyOrigin};
use crate::place::Place;

/// Says where the server is and what to do next. The first line alone means that it is ready.
pub(super) struct Greeting<'a> {
    pub(super) place: &'a Place,
    pub(super) bound: SocketAddr,
    pub(super) data: &'a DataDir,
    pub(super) demo: Option<&'a Demo>,
}

impl fmt::Display for Greeting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (url, bound) = (self.place.url(), self.bound);
        write!(f, "Countersign is ready on {url}")?;
        if url != format!("http://{bound}") {
            write!(f, ", listening on {bound}")?;
        }
        writeln!(f)?;
        match self.demo {
            Some(Demo::Ready { file, origin, .. }) => self.demo(f, file, *origin),
            Some(Demo::NoKey { active }) => {
                let command = self.command("key revoke demo");
                writeln!(
                    f,
                    "\nNo playground: nobody knows an API key of the demo app any more, and"
                )?;
                writeln!(f, "it has two already. Revoke one, then start again:")?;
                for key in active {
                    writeln!(f, "\n  {command} {}", key.as_str())?;
                }
                local_mode(f)
            }
            None => self.deployed(f),
        }
    }
}

impl Greeting<'_> {
    /// A command of this binary, as it was called, for this data.
    fn command(&self, words: &str) -> String {
        format!("{} {words}", console::command(self.data.path()))
    }

    fn demo(&self, f: &mut fmt::Formatter<'_>, file: &DemoFile, origin: KeyOrigin) -> fmt::Result {
        let DemoFile {
            url,
            api_key,
            app_key,
            send_to,
            ..
        } = file;
        let demo_file = self.data.demo();
        if origin == KeyOrigin::Replaced {
            writeln!(
                f,
                "\nThe demo app was given a new API key: {} had none that",
                demo_file.display()
            )?;
            writeln!(
                f,
                "works. `{}` shows the others.",
                self.command("key list demo")
            )?;
        }
        writeln!(f, "\n  playground    {url}/")?;
        writeln!(f, "  API key       {api_key}")?;
        writeln!(f, "  app key       {app_key}")?;
        writeln!(f, "  both, and more, for scripts: {}", demo_file.display())?;
        writeln!(f, "\nReceive webhooks in a second terminal:\n")?;
        writeln!(f, "  {}", self.command("webhook listen"))?;
        writeln!(f, "\nAcquire a phone number in a third:\n")?;
        writeln!(
            f,
            "  curl -sS {url}/acquire-phone-number -H 'x-api-key: {api_key}' -H 'content-type: \
             application/json' -d '{{\"callbackUrl\":\"http://127.0.0.1:{LISTEN_PORT}/\"}}'"
        )?;
        writeln!(
            f,
            "\nThen be the phone, with the confirmationMessage that came back:\n"
        )?;
        writeln!(
            f,
            "  {} --from +12025550100 --to {send_to} --message CONFIRMATION-MESSAGE",
            self.command("phone text")
        )?;
        local_mode(f)
    }

    fn deployed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.place.url();
        writeln!(
            f,
            "\nNot in local mode: no demo app, no playground, callbacks by https to public"
        )?;
        writeln!(f, "addresses alone. Make an app with its first API key:\n")?;
        writeln!(f, "  {}", self.command("app create NAME --sender +NUMBER"))?;
        writeln!(f, "\nTexts come in at {url}/inbound-sms/generic, signed by")?;
        write!(
            f,
            "the Standard Webhooks scheme with the secret in {}",
            self.data.inbound_secret().display()
        )?;
        if url.starts_with("http://") {
            write!(
                f,
                "\n\nAPI keys pass here unencrypted: put a proxy that speaks TLS before the server."
            )?;
        }
        Ok(())
    }
}

fn local_mode(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "\nLocal mode: callbacks may go to this machine, over http too. Ctrl-C stops."
    )
}
