//! The topic that calls us, and the SNS host in its region.

use std::str::FromStr;

use thiserror::Error;

use crate::certificate_source::CertificateUrl;

/// The ARN of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    arn: String,
    host: String,
}

/// The text is not the ARN of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a topic is arn:aws:sns:<region>:<account>:<name>")]
pub struct MalformedTopic;

impl FromStr for Topic {
    type Err = MalformedTopic;

    fn from_str(text: &str) -> Result<Self, MalformedTopic> {
        let parts: Vec<_> = text.split(':').collect();
        let ["arn", partition, "sns", region, account, name] = parts[..] else {
            return Err(MalformedTopic);
        };
        let word = |text: &str, extra: &[u8]| {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|c| c.is_ascii_alphanumeric() || extra.contains(&c))
        };
        let region_fits = region.len() >= 3 && word(region, b"-");
        let account_fits = account.len() == 12 && account.bytes().all(|c| c.is_ascii_digit());
        let suffix = match partition {
            "aws" | "aws-us-gov" => "amazonaws.com",
            "aws-cn" => "amazonaws.com.cn",
            _ => return Err(MalformedTopic),
        };
        if region_fits && account_fits && word(name, b"-_.") {
            Ok(Self {
                arn: text.to_owned(),
                host: format!("sns.{region}.{suffix}"),
            })
        } else {
            Err(MalformedTopic)
        }
    }
}

impl Topic {
    /// Returns the ARN.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.arn
    }

    /// Returns the address of a certificate if it is on the SNS host: `https`, no port, no user,
    /// and one file that ends with `.pem`.
    pub(super) fn certificate(&self, url: &str) -> Option<CertificateUrl> {
        let file = self.path(url)?.strip_suffix(".pem")?;
        let plain = file.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
        (plain && !file.is_empty()).then(|| CertificateUrl::new(url))
    }

    /// Returns whether an address is on the SNS host, and confirms a subscription.
    pub(super) fn is_own_host(&self, url: &str) -> bool {
        let visible = url.bytes().all(|c| c.is_ascii_graphic());
        let confirms = |path: &str| path.starts_with("?Action=ConfirmSubscription&");
        visible && self.path(url).is_some_and(confirms)
    }

    /// Returns the part of an address after the SNS host and a slash.
    fn path<'a>(&self, url: &'a str) -> Option<&'a str> {
        let rest = url.strip_prefix("https://")?;
        rest.strip_prefix(self.host.as_str())?.strip_prefix('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(arn: &str) -> Topic {
        arn.parse().unwrap()
    }

    #[test]
    fn malformed_arn_is_refused() {
        for bad in [
            "",
            "arn:aws:sns:us-east-1:123456789012",
            "arn:aws:sqs:us-east-1:123456789012:t",
            "arn:aws:sns:us-east-1.evil.com/:123456789012:t",
            "arn:aws:sns::123456789012:t",
            "arn:aws:sns:us-east-1:12345678901:t",
            "arn:aws:sns:us-east-1:123456789012:t:subscription",
            "arn:other:sns:us-east-1:123456789012:t",
        ] {
            assert_eq!(bad.parse::<Topic>(), Err(MalformedTopic), "{bad}");
        }
    }

    #[test]
    fn certificate_comes_only_from_the_topics_region() {
        let here = topic("arn:aws:sns:eu-west-1:123456789012:texts");
        let good = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a1b.pem";
        assert!(here.certificate(good).is_some());
        let china = topic("arn:aws-cn:sns:cn-north-1:123456789012:texts");
        let chinese = "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-0a1b.pem";
        assert!(china.certificate(chinese).is_some());
        for bad in [
            chinese,
            "http://sns.eu-west-1.amazonaws.com/a.pem",
            "https://sns.us-east-1.amazonaws.com/a.pem",
            "https://sns.eu-west-1.amazonaws.com.evil.com/a.pem",
            "https://sns.eu-west-1.amazonaws.com@evil.com/a.pem",
            "https://sns.eu-west-1.amazonaws.com:444/a.pem",
            "https://user@sns.eu-west-1.amazonaws.com/a.pem",
            "https://evil.com/sns.eu-west-1.amazonaws.com/a.pem",
            "https://sns.eu-west-1.amazonaws.com/b/a.pem",
            "https://sns.eu-west-1.amazonaws.com/?x=a.pem",
            "https://sns.eu-west-1.amazonaws.com/../a.pem",
            "https://sns.eu-west-1.amazonaws.com/a.pem#b",
            "https://sns.eu-west-1.amazonaws.com/.pem",
            "https://SNS.eu-west-1.amazonaws.com/a.pem",
        ] {
            assert!(here.certificate(bad).is_none(), "{bad}");
        }
    }
}
