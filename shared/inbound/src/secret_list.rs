//! Secrets in the settings of providers.

use std::fmt::Display;
use std::str::FromStr;

use serde::Deserialize;
use zeroize::ZeroizeOnDrop;

use crate::secret::Rotating;
use crate::spec::{Wrong, value};

/// A secret, before parsing.
#[derive(Deserialize, ZeroizeOnDrop)]
pub(crate) struct Secret(String);

/// One or two secrets.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum SecretList {
    One(Secret),
    Several(Vec<Secret>),
}

impl Secret {
    pub(crate) fn parse<T: FromStr<Err: Display>>(&self) -> Result<T, Wrong> {
        value(&self.0)
    }
}

impl SecretList {
    pub(crate) fn parse<T: FromStr<Err: Display>>(&self) -> Result<Rotating<T>, Wrong> {
        rotating(self.each(|parsed| parsed)?)
    }

    /// Parses each secret of the list.
    pub(crate) fn each<T: FromStr<Err: Display>, U>(
        &self,
        map: impl Fn(T) -> U,
    ) -> Result<Vec<U>, Wrong> {
        let list = match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        };
        list.iter().map(|secret| secret.parse().map(&map)).collect()
    }
}

/// Returns one or two secrets as a rotation.
pub(crate) fn rotating<T>(list: Vec<T>) -> Result<Rotating<T>, Wrong> {
    let mut list = list.into_iter();
    match (list.next(), list.next(), list.next()) {
        (Some(first), Some(second), None) => Ok(Rotating::pair(first, second)),
        (Some(only), None, _) => Ok(only.into()),
        _ => Err(Wrong::value("needs one secret, or two during a rotation")),
    }
}
