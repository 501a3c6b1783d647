//! Opening the person's browser.
//!
//! The arguments of a process are visible to every user of the machine, so the browser gets the name of a file that
//! only this user can read, and which leads to the link.

use std::io::{self, Write as _};

use tempfile::NamedTempFile;

/// The file that leads the browser to the link. Dropping it removes it.
pub(super) struct LinkFile(NamedTempFile);

impl LinkFile {
    /// Writes the file, which only this user can read. The link has no character that HTML needs escaped.
    pub(super) fn write(link: &str) -> io::Result<Self> {
        let mut file = tempfile::Builder::new()
            .prefix("countersign-console-")
            .suffix(".html")
            .tempfile()?;
        write!(
            file,
            "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>Countersign console</title>\n<meta http-equiv=\"refresh\" content=\"0; url={link}\">\n\
             <a href=\"{link}\">Open the console</a>\n"
        )?;
        file.flush()?;
        Ok(Self(file))
    }

    /// Opens the file with the program that the desktop has for it, without waiting for it.
    pub(super) fn open(&self) -> io::Result<()> {
        open::that_detached(self.0.path())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn link_is_in_a_private_file_that_goes() {
        let link = "http://127.0.0.1:9000/#code=abc";
        let file = LinkFile::write(link).unwrap();
        let path = file.0.path().to_owned();
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(
            std::fs::read_to_string(&path)
                .unwrap()
                .contains(&format!("url={link}\""))
        );
        assert!(!path.to_str().unwrap().contains("abc"));
        drop(file);
        assert!(!path.exists());
    }
}
