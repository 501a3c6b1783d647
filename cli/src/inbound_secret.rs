//! The secret of the generic provider: `DATA/inbound-secret`. The file has one line, or two while the
//! secret is being replaced, new secret first.

use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::webhook_secret::{MalformedSecret, WebhookSecret};
use countersign_inbound::Rotating;
use thiserror::Error;

use crate::data_dir::{DataDir, DataDirError, INBOUND_SECRET};

/// Why there is no usable secret.
#[derive(Debug, Error)]
pub(crate) enum SecretError {
    /// The file could not be read or written.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The file is missing although it existed.
    #[error(
        "{0} is missing, and texts are signed with it: restore it from a backup, or make another with `countersign \
         provider add generic` while no server runs; the service that signs texts then needs the new one"
    )]
    Missing(String),
    /// The file does not contain a secret.
    #[error(
        "{path} holds no valid secret; restore it from a backup, or make another with `countersign provider add \
         generic --replace` while no server runs"
    )]
    Malformed {
        /// The path of the file.
        path: String,
        #[source]
        cause: MalformedSecret,
    },
}

/// Reads the secret for signing; `None` if the file does not exist.
pub(crate) fn read(data: &DataDir) -> Result<Option<WebhookSecret>, SecretError> {
    let secrets = read_all(data)?;
    Ok(secrets.map(|secrets| secrets.first().clone()))
}

/// Reads the secrets accepted for authentication; `None` if the file does not exist.
pub(crate) fn read_all(data: &DataDir) -> Result<Option<Rotating<WebhookSecret>>, SecretError> {
    let Some(text) = data.read(INBOUND_SECRET)? else {
        return Ok(None);
    };
    let parse = |line: &str| {
        let secret = line.trim().parse::<WebhookSecret>();
        secret.map_err(|cause| SecretError::Malformed {
            path: data.inbound_secret().display().to_string(),
            cause,
        })
    };
    Ok(Some(match text.trim().split_once('\n') {
        Some((first, second)) => Rotating::pair(parse(first)?, parse(second)?),
        None => parse(&text)?.into(),
    }))
}

/// Writes a new secret, and keeps the newest other one unless `alone`. Returns the number of dropped
/// secrets. The caller must hold the settings lock.
pub(crate) fn put(
    data: &DataDir,
    secret: &WebhookSecret,
    alone: bool,
) -> Result<usize, SecretError> {
    let before = match read_all(data) {
        // An unreadable file can be replaced.
        Err(_) if alone => None,
        before => before?,
    };
    let before = before.map_or_else(Vec::new, Rotating::into_list);
    let is_other = |known: &&WebhookSecret| *known.reveal() != *secret.reveal();
    let others: Vec<_> = before.iter().filter(is_other).collect();
    let kept = others.first().filter(|_| !alone);
    let lines = [Some(&secret), kept].into_iter().flatten();
    let lines = lines.map(|secret| format!("{}\n", secret.reveal().as_str()));
    let text = lines.collect::<Vec<_>>().concat();
    data.write(INBOUND_SECRET, &text)?;
    Ok(others.len() - usize::from(kept.is_some()))
}

/// Reads the secret; if the file does not exist, creates it with a new secret, unless the file `is_companion` of the
/// store.
pub(crate) fn read_or_make(
    data: &DataDir,
    is_companion: bool,
    entropy: &dyn Entropy,
) -> Result<WebhookSecret, SecretError> {
    if let Some(secret) = read(data)? {
        return Ok(secret);
    }
    if is_companion {
        return Err(missing(data));
    }
    let secret = WebhookSecret::generate(entropy);
    let text = format!("{}\n", secret.reveal().as_str());
    data.write(INBOUND_SECRET, &text)?;
    Ok(secret)
}

/// Checks that the file has not been removed. The file's content may change while a server runs.
pub(crate) fn check_present(data: &DataDir) -> Result<(), SecretError> {
    if data.has(INBOUND_SECRET)? {
        Ok(())
    } else {
        Err(missing(data))
    }
}

fn missing(data: &DataDir) -> SecretError {
    SecretError::Missing(data.inbound_secret().display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_system::entropy::OsEntropy;

    #[test]
    fn secret_is_created_once() {
        let parent = tempfile::tempdir().unwrap();
        let data = DataDir::create(parent.path()).unwrap();
        assert!(read(&data).unwrap().is_none());
        let made = read_or_make(&data, false, &OsEntropy).unwrap();
        let again = read_or_make(&data, false, &OsEntropy).unwrap();
        assert_eq!(*made.reveal(), *again.reveal());
    }

    #[test]
    fn existing_secret_is_used_and_a_broken_one_is_not_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let data = DataDir::create(parent.path()).unwrap();
        let own = WebhookSecret::generate(&OsEntropy).reveal().to_string();
        data.write(INBOUND_SECRET, &format!(" {own}\n\n")).unwrap();
        assert_eq!(
            *read_or_make(&data, false, &OsEntropy).unwrap().reveal(),
            own
        );

        data.write(INBOUND_SECRET, "hunter2").unwrap();
        let broken = read_or_make(&data, false, &OsEntropy);
        assert!(matches!(broken, Err(SecretError::Malformed { .. })));
    }
}
