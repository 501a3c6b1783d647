//! Answers in files.

use std::path::Path;

use super::folder::{Folder, FolderError};
use crate::ports::StoreError;
use crate::ports::answers::AnswerStore;

/// The suffix of each file's name.
const SUFFIX: &str = ".answer";

/// Answers in a directory, one file for each login.
#[derive(Debug)]
pub struct FileAnswers(Folder);

impl FileAnswers {
    /// Returns the store in a directory, which need not exist yet.
    #[must_use]
    pub fn at(directory: &Path) -> Self {
        Self(Folder::at(directory))
    }

    fn save_first(&self, file: &str, answer: &[u8]) -> Result<Option<Vec<u8>>, FolderError> {
        let locked = self.0.lock()?;
        let former = locked.directory.read(file)?;
        if former.is_none() {
            locked.directory.replace(file, answer)?;
        }
        Ok(former)
    }

    fn save(&self, file: &str, answer: &[u8]) -> Result<(), FolderError> {
        let locked = self.0.lock()?;
        Ok(locked.directory.replace(file, answer)?)
    }

    fn delete(&self, file: &str) -> Result<(), FolderError> {
        if self.0.open()?.is_none() {
            return Ok(());
        }
        let locked = self.0.lock()?;
        locked.directory.remove(file)?;
        Ok(locked.directory.sync()?)
    }

    fn list(&self) -> Result<Vec<String>, FolderError> {
        let Some(directory) = self.0.open()? else {
            return Ok(Vec::new());
        };
        let files = directory.names()?;
        let names = files
            .iter()
            .filter_map(|file| file.to_str()?.strip_suffix(SUFFIX));
        Ok(names.map(str::to_owned).collect())
    }
}

impl AnswerStore for FileAnswers {
    fn load(&self, name: String) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.read(&file(&name)?)?)
    }

    fn save_new(&self, name: String, answer: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.save_first(&file(&name)?, &answer)?)
    }

    fn replace(&self, name: String, answer: Vec<u8>) -> Result<(), StoreError> {
        Ok(self.save(&file(&name)?, &answer)?)
    }

    fn remove(&self, name: String) -> Result<(), StoreError> {
        Ok(self.delete(&file(&name)?)?)
    }

    fn names(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.list()?)
    }
}

/// Returns the file of an answer. Names are base64url, so that they cannot refer to files outside
/// the directory.
fn file(name: &str) -> Result<String, StoreError> {
    let is_digit = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    if name.is_empty() || !name.bytes().all(is_digit) {
        let detail = "an answer's name is base64url".to_owned();
        return Err(StoreError::Failed { detail });
    }
    Ok(format!("{name}{SUFFIX}"))
}
