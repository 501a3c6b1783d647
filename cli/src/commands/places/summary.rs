//! A summary of a place database, for users and for scripts.

use std::fmt;
use std::time::SystemTime;

use countersign_domain::login::sighting::PlaceCredit;
use countersign_embedded::places::{Contents, PlacesFile};
use serde::Serialize;

const DAY: u64 = 24 * 60 * 60;

/// Age in days beyond which places are likely to be wrong: most addresses move within a few months.
const OLD_DAYS: u64 = 100;

/// A fully read database.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    file: String,
    kind: String,
    /// The vendor's build date.
    built: Option<String>,
    #[serde(skip)]
    days: Option<u64>,
    ipv4: bool,
    ipv6: bool,
    /// Number of records with a country; the next two fields count coordinates and network types.
    countries: u64,
    coordinates: u64,
    networks: u64,
    /// The attribution that must be shown next to its places.
    credit: Option<&'static str>,
}

impl Summary {
    /// Describes a file, which may still have a temporary name.
    pub(super) fn new(
        name: impl Into<String>,
        file: &PlacesFile,
        contents: Contents,
        now: SystemTime,
    ) -> Self {
        let built = file.built();
        let day = |time| humantime::format_rfc3339_seconds(time).to_string()[..10].to_owned();
        let age = built.and_then(|built| now.duration_since(built).ok());
        Self {
            file: name.into(),
            kind: file.kind().to_owned(),
            built: built.map(day),
            days: age.map(|age| age.as_secs() / DAY),
            ipv4: file.has_ipv4(),
            ipv6: file.has_ipv6(),
            countries: contents.countries,
            coordinates: contents.coordinates,
            networks: contents.networks,
            credit: file.credit().map(PlaceCredit::text),
        }
    }

    /// Returns whether the file contains anything that a server can use.
    pub(super) const fn is_useful(&self) -> bool {
        self.countries + self.coordinates + self.networks > 0
    }
}

/// Returns what a set of files lacks, one item per line.
pub(super) fn shortcomings(files: &[Summary]) -> Vec<String> {
    let mut lines = Vec::new();
    for file in files {
        if !file.is_useful() {
            lines.push(format!("{} tells nothing that a server reads", file.file));
        } else if let Some(days) = file.days.filter(|days| *days > OLD_DAYS) {
            lines.push(format!(
                "{} is {days} days old: newer places are more often right",
                file.file
            ));
        }
    }
    let places = || files.iter().filter(|file| file.coordinates > 0);
    if places().next().is_none() {
        lines.push("no file has coordinates, so no distance is judged".to_owned());
        return lines;
    }
    for (version, has) in [
        ("IPv4", places().any(|file| file.ipv4)),
        ("IPv6", places().any(|file| file.ipv6)),
    ] {
        if !has {
            lines.push(format!("no file has places of {version} addresses"));
        }
    }
    lines
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addresses = match (self.ipv4, self.ipv6) {
            (true, true) => "IPv4 and IPv6",
            (true, false) => "IPv4",
            (false, true) => "IPv6",
            (false, false) => "none",
        };
        writeln!(f, "{}", self.file)?;
        writeln!(f, "  kind         {}", self.kind)?;
        let built = self.built.as_deref().unwrap_or("unknown");
        match self.days {
            Some(days) => writeln!(f, "  built        {built}, {days} days ago")?,
            None => writeln!(f, "  built        {built}")?,
        }
        writeln!(f, "  addresses    {addresses}")?;
        writeln!(
            f,
            "  records      {} with coordinates, {} with a country, {} with a kind of network",
            self.coordinates, self.countries, self.networks
        )?;
        match self.credit {
            Some(credit) => write!(f, "  credit       {credit}"),
            None => f.write_str("  credit       as its licence says"),
        }
    }
}
