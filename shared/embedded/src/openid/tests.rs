use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use countersign_domain::openid::key_schedule::{PUBLISHED_AFTER, PUBLISHED_BEFORE};
use countersign_system::entropy::OsEntropy;
use tempfile::tempdir;

use super::*;

/// A clock that the test sets.
struct SetClock(AtomicU64);

impl SetClock {
    fn pass(&self, time: std::time::Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap();
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

fn clock() -> Arc<SetClock> {
    Arc::new(SetClock(AtomicU64::new(1_767_323_045_678)))
}

fn open(
    directory: &Path,
    may_begin: bool,
    clock: &Arc<SetClock>,
) -> Result<OpenIdFiles, OpenIdFilesError> {
    let directory = PrivateDirectory::create(directory).unwrap();
    OpenIdFiles::open(directory, may_begin, &OsEntropy, Arc::clone(clock) as _)
}

async fn published(files: &OpenIdFiles) -> Vec<KeyId> {
    let keys = files.public_keys().await.unwrap();
    keys.iter().map(PublicKey::key_id).collect()
}

#[tokio::test]
async fn next_start_has_the_same_keys_and_secret() {
    let root = tempdir().unwrap();
    let (directory, clock) = (root.path().join("openid"), clock());
    let first = open(&directory, true, &clock).unwrap();
    first.rotate(&OsEntropy).unwrap();
    let again = open(&directory, false, &clock).unwrap();
    assert_eq!(again.secret().reveal(), first.secret().reveal());
    assert_eq!(published(&again).await, published(&first).await);
    assert_eq!(
        again.sign(&[7; 32]).await.unwrap(),
        first.sign(&[7; 32]).await.unwrap()
    );
    again.check_files().unwrap();
    for name in FILES {
        let content = fs::read(directory.join(name)).unwrap();
        assert!(!content.is_empty());
    }
}

#[tokio::test]
async fn new_key_signs_after_its_publication_and_the_former_one_loses_its_private_half() {
    let root = tempdir().unwrap();
    let (directory, clock) = (root.path().join("openid"), clock());
    let files = open(&directory, true, &clock).unwrap();
    let old = published(&files).await;
    let listed = files.rotate(&OsEntropy).unwrap();
    assert_eq!(
        listed.iter().map(|key| key.is_signing).collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(listed[1].signs_from, clock.now().plus(PUBLISHED_BEFORE));
    let again = files.rotate(&OsEntropy);
    assert!(
        matches!(again, Err(OpenIdFilesError::NextKeyWaits(_))),
        "{again:?}"
    );
    assert_eq!(files.sign(&[7; 32]).await.unwrap().key_id, old[0]);

    clock.pass(PUBLISHED_BEFORE);
    let new = files.sign(&[7; 32]).await.unwrap().key_id;
    assert_eq!(published(&files).await, [new.clone(), old[0].clone()]);
    let private = || {
        let text = fs::read_to_string(directory.join("keys.json")).unwrap();
        text.matches("BEGIN PRIVATE KEY").count()
    };
    assert_eq!(private(), 2);
    files.prune().unwrap();
    assert_eq!(private(), 1);
    let reopened = open(&directory, false, &clock).unwrap();
    assert_eq!(reopened.sign(&[7; 32]).await.unwrap().key_id, new);

    clock.pass(PUBLISHED_AFTER);
    files.prune().unwrap();
    assert_eq!(published(&files).await, [new]);
}

#[test]
fn lost_or_changed_file_is_reported() {
    let root = tempdir().unwrap();
    let (directory, clock) = (root.path().join("openid"), clock());
    let files = open(&directory, true, &clock).unwrap();
    for name in FILES {
        let path = directory.join(name);
        let content = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let lost = open(&directory, false, &clock);
        assert!(
            matches!(&lost, Err(OpenIdFilesError::Missing(at)) if *at == path),
            "{lost:?}"
        );
        let lost = files.check_files();
        assert!(
            matches!(&lost, Err(OpenIdFilesError::Missing(at)) if *at == path),
            "{lost:?}"
        );
        fs::write(&path, "not what it was").unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let damaged = open(&directory, true, &clock);
        assert!(
            matches!(&damaged, Err(OpenIdFilesError::Damaged(at)) if *at == path),
            "{damaged:?}"
        );
        fs::write(&path, content).unwrap();
        files.check_files().unwrap();
    }
    let other = open(&root.path().join("other"), true, &clock).unwrap();
    drop(other);
    for name in FILES {
        let content = fs::read(directory.join(name)).unwrap();
        fs::copy(root.path().join("other").join(name), directory.join(name)).unwrap();
        let changed = files.check_files();
        assert!(
            matches!(&changed, Err(OpenIdFilesError::Changed(_))),
            "{changed:?}"
        );
        fs::write(directory.join(name), content).unwrap();
    }
}
