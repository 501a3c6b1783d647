//! The message that the server prints when it is ready.

use std::fmt;
use std::net::SocketAddr;

use crate::args::LISTEN_PORT;
use crate::data_dir::DataDir;
use crate::demo::{Demo, DemoFile, KeyOrigin};
use crate::places::PLACES_ARE_OFF;
use crate::server_address::ServerAddress;
use crate::terminal;

/// Prints the server's URL and the next steps. Scripts may wait for its first line.
pub(super) struct Greeting<'a> {
    pub(super) place: &'a ServerAddress,
    pub(super) bound: SocketAddr,
    pub(super) data: &'a DataDir,
    pub(super) demo: Option<&'a Demo>,
    /// True if there is a place database.
    pub(super) knows_places: bool,
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
                    "\nNo playground: the demo app's API keys are unknown, and it already has"
                )?;
                writeln!(f, "the maximum of two. Revoke one, then restart:")?;
                for key in active {
                    writeln!(f, "\n  {command} {}", key.as_str())?;
                }
                self.local_mode(f)
            }
            None => self.deployed(f),
        }
    }
}

impl Greeting<'_> {
    /// Returns a command line of this program for this data directory.
    fn command(&self, words: &str) -> String {
        format!("{} {words}", terminal::command(self.data.path()))
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
                "\nThe demo app has a new API key, since {} held no",
                demo_file.display()
            )?;
            writeln!(
                f,
                "working one. `{}` shows the others.",
                self.command("key list demo")
            )?;
        }
        writeln!(f, "\n  playground    {url}/")?;
        for page in self.place.other_pages() {
            writeln!(f, "                {page}/")?;
        }
        writeln!(f, "  console       {}", self.command("console"))?;
        writeln!(f, "  API key       {api_key}")?;
        writeln!(f, "  app key       {app_key}")?;
        writeln!(f, "  for scripts   {}", demo_file.display())?;
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
            "\nThen simulate the phone, with the confirmationMessage from the answer:\n"
        )?;
        writeln!(
            f,
            "  {} --from +12025550100 --to {send_to} --message CONFIRMATION-MESSAGE",
            self.command("phone text")
        )?;
        self.local_mode(f)
    }

    fn deployed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.place.url();
        writeln!(
            f,
            "\nLocal mode is off: no demo app, no playground, and callbacks only over https"
        )?;
        writeln!(
            f,
            "to public addresses. Create an app with its first API key:\n"
        )?;
        writeln!(f, "  {}", self.command("app create NAME --sender +NUMBER"))?;
        writeln!(
            f,
            "\nA page shows what happens, and changes settings:\n\n  {}",
            self.command("console")
        )?;
        writeln!(f, "\nTexts arrive at {url}/inbound-sms/generic, signed by")?;
        write!(
            f,
            "the Standard Webhooks scheme with the secret in {}",
            self.data.inbound_secret().display()
        )?;
        if url.starts_with("http://") {
            write!(
                f,
                "\n\nAPI keys are sent unencrypted: put a proxy with TLS in front of the server."
            )?;
        }
        if !self.knows_places {
            let fetch = self.command("places fetch");
            write!(f, "\n\n{PLACES_ARE_OFF}\n\n  {fetch}")?;
        }
        Ok(())
    }

    fn local_mode(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\nLocal mode: callbacks may go to this machine, also over http. Press Ctrl-C to stop."
        )?;
        if !self.knows_places {
            let fetch = self.command("places fetch");
            write!(
                f,
                "\nPlaces are off; addresses of this machine have none. For others: {fetch}"
            )?;
        }
        Ok(())
    }
}
