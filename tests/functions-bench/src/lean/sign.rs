//! Signature Version 4 ("Create a signed AWS API request", IAM User Guide).

use std::env::{VarError, var};

use base16ct::lower;
use ring::digest::{SHA256, digest};
use ring::hmac::{HMAC_SHA256, Key, sign};

/// Signs requests to one service.
pub(super) struct Signer {
    service: &'static str,
    id: String,
    secret: String,
    region: String,
    /// The day and its key.
    of_day: Option<(String, Key)>,
}

impl Signer {
    /// Reads region and credentials.
    pub(super) fn new(service: &'static str) -> Result<Self, VarError> {
        Ok(Self {
            service,
            id: var("AWS_ACCESS_KEY_ID")?,
            secret: var("AWS_SECRET_ACCESS_KEY")?,
            region: var("AWS_REGION")?,
            of_day: None,
        })
    }

    /// Returns the value of `authorization` for a call at this time (`20260102T030405Z`).
    pub(super) fn authorization(
        &mut self,
        host: &str,
        target: &str,
        time: &str,
        body: &str,
    ) -> String {
        const SIGNED: &str = "content-type;host;x-amz-date;x-amz-target";
        let day = &time[..8];
        let scope = format!("{day}/{}/{}/aws4_request", self.region, self.service);
        let request = format!(
            "POST\n/\n\ncontent-type:{CONTENT_TYPE}\nhost:{host}\nx-amz-date:{time}\n\
             x-amz-target:{target}\n\n{SIGNED}\n{}",
            hash(body)
        );
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hash(&request));
        if self.of_day.as_ref().is_none_or(|(known, _)| known != day) {
            self.of_day = Some((day.to_owned(), self.key(day)));
        }
        let signature = match &self.of_day {
            Some((_, key)) => lower::encode_string(sign(key, text.as_bytes()).as_ref()),
            None => String::new(),
        };
        let id = &self.id;
        format!(
            "AWS4-HMAC-SHA256 Credential={id}/{scope}, SignedHeaders={SIGNED}, Signature={signature}"
        )
    }

    fn key(&self, day: &str) -> Key {
        let first = Key::new(HMAC_SHA256, format!("AWS4{}", self.secret).as_bytes());
        let parts = [day, &self.region, self.service, "aws4_request"];
        parts.iter().fold(first, |key, part| {
            Key::new(HMAC_SHA256, sign(&key, part.as_bytes()).as_ref())
        })
    }
}

/// The type of the bodies.
pub(super) const CONTENT_TYPE: &str = "application/x-amz-json-1.0";

fn hash(text: &str) -> String {
    lower::encode_string(digest(&SHA256, text.as_bytes()).as_ref())
}

/// Returns a time, in seconds since the epoch, as Signature Version 4 writes it.
pub(super) fn written(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, by Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_written_in_its_form() {
        assert_eq!(written(0), "19700101T000000Z");
        assert_eq!(written(951_827_696), "20000229T123456Z");
        assert_eq!(written(1_767_323_045), "20260102T030405Z");
    }
}
