//! Tests of the key directory.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use countersign_domain::delivery::signing::Signer;
use tempfile::tempdir;

use super::*;
use countersign_system::entropy::OsEntropy;

/// Entropy that yields these bytes in turn, then ones.
struct Given(Mutex<Vec<[u8; 32]>>);

impl Entropy for Given {
    fn fill(&self, buffer: &mut [u8]) {
        let next = self.0.lock().unwrap().pop().unwrap_or([1; 32]);
        buffer.copy_from_slice(&next);
    }
}

fn given(bytes: &[[u8; 32]]) -> Given {
    Given(Mutex::new(bytes.iter().rev().copied().collect()))
}

fn ids(signer: &KeyFileSigner) -> Vec<KeyId> {
    let public = signer.keys().public();
    public.iter().map(PublicKey::key_id).collect()
}

const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

fn try_open(directory: &Path, entropy: &dyn Entropy) -> Result<KeyFileSigner, KeyError> {
    let directory = PrivateDirectory::create(directory).unwrap();
    KeyFileSigner::open(directory, entropy, NOW, NOW)
}

fn open(directory: &Path, entropy: &dyn Entropy) -> KeyFileSigner {
    try_open(directory, entropy).unwrap()
}

fn path_of(directory: &Path, id: &KeyId) -> PathBuf {
    directory.join(format!("{}.pem", id.as_str()))
}

#[tokio::test]
async fn first_start_generates_a_key_that_the_next_start_uses() {
    let root = tempdir().unwrap();
    let directory = root.path().join("data/keys");
    let signer = open(&directory, &OsEntropy);
    let signature = signer.sign(&[7; 32]).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    for entry in fs::read_dir(&directory).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    let again = open(&directory, &OsEntropy);
    // Signatures are deterministic (RFC 6979), so this one shows that the key is the same.
    assert_eq!(again.sign(&[7; 32]).await.unwrap(), signature);
    assert_eq!(ids(&again), ids(&signer));
}

#[tokio::test]
async fn replaced_key_is_published_but_cannot_sign() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &OsEntropy);
    let first = ids(&signer)[0].clone();
    let second = signer.rotate(&OsEntropy, NOW).unwrap();
    let third = signer.rotate(&OsEntropy, NOW).unwrap();
    assert_eq!(signer.sign(&[1; 32]).await.unwrap().key_id, third);
    assert_eq!(ids(&signer)[0], third);
    for former in [&first, &second] {
        assert!(ids(&signer).contains(former));
        let pem = fs::read_to_string(path_of(root.path(), former)).unwrap();
        assert!(pem.contains("-----BEGIN PUBLIC KEY-----"), "{former}");
        assert!(!pem.contains("PRIVATE"), "{former}");
    }
    let again = open(root.path(), &OsEntropy);
    assert_eq!(again.sign(&[1; 32]).await.unwrap().key_id, third);
    assert_eq!(ids(&again).len(), 3);
    assert_eq!(ids(&again)[0], third);
}

#[test]
fn interrupted_rotation_is_finished_at_the_next_start() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &OsEntropy);
    let first = ids(&signer)[0].clone();
    let private = fs::read(path_of(root.path(), &first)).unwrap();
    let second = signer.rotate(&OsEntropy, NOW).unwrap();
    // Simulates a crash before the previous key's private half was deleted.
    fs::write(path_of(root.path(), &first), private).unwrap();
    fs::write(root.path().join("current.new"), "half of a na").unwrap();
    let again = open(root.path(), &OsEntropy);
    assert_eq!(ids(&again), [second, first.clone()]);
    let pem = fs::read_to_string(path_of(root.path(), &first)).unwrap();
    assert!(!pem.contains("PRIVATE"));
}

#[test]
fn bytes_outside_the_group_are_drawn_again() {
    let root = tempdir().unwrap();
    let entropy = given(&[[0; 32], [0xff; 32], [5; 32]]);
    let signer = open(root.path(), &entropy);
    let expected = SecretKey::from_slice(&[5; 32]).unwrap();
    assert_eq!(ids(&signer), [public_half(&expected).unwrap().key_id()]);
}

#[test]
fn error_names_the_file_without_a_key() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &given(&[[5; 32]]));
    let path = path_of(root.path(), &ids(&signer)[0]);
    let pem = fs::read(&path).unwrap();
    let refused = || try_open(root.path(), &OsEntropy).unwrap_err();

    fs::write(&path, "once upon a time").unwrap();
    assert!(
        matches!(refused(), KeyError::NotAKey { .. }),
        "{:?}",
        refused()
    );
    fs::remove_file(&path).unwrap();
    // A lost key is never replaced silently, because receivers trust it.
    assert!(
        matches!(refused(), KeyError::Missing { .. }),
        "{:?}",
        refused()
    );
    let other = open(&root.path().join("other"), &given(&[[6; 32]]));
    let other = path_of(&root.path().join("other"), &ids(&other)[0]);
    fs::copy(other, &path).unwrap();
    assert!(
        matches!(refused(), KeyError::WrongName { .. }),
        "{:?}",
        refused()
    );
    fs::write(&path, pem).unwrap();
    assert!(try_open(root.path(), &OsEntropy).is_ok());
}

#[test]
fn debug_shows_no_private_key() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &given(&[[5; 32]]));
    let text = format!("{signer:?}");
    assert!(
        !text.contains("05050505") && !text.contains("5, 5"),
        "{text}"
    );
}

#[test]
fn former_key_is_published_for_seven_days() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &OsEntropy);
    let first = ids(&signer)[0].clone();
    let second = signer.rotate(&OsEntropy, NOW).unwrap();
    let at = |now: Timestamp| {
        let directory = PrivateDirectory::open(root.path()).unwrap();
        ids(&KeyFileSigner::open(directory, &OsEntropy, now, now).unwrap())
    };
    let over = NOW.plus(FORMER_KEY_KEPT);
    assert_eq!(at(over), [second.clone(), first.clone()]);
    assert_eq!(at(over.plus(Duration::from_millis(1))), [second]);
    assert!(!path_of(root.path(), &first).exists());
}

#[tokio::test]
async fn former_key_is_removed_while_the_server_runs() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &OsEntropy);
    let first = ids(&signer)[0].clone();
    let second = signer.rotate(&OsEntropy, NOW).unwrap();
    let over = NOW.plus(FORMER_KEY_KEPT);
    signer.prune(over).unwrap();
    assert_eq!(ids(&signer), [second.clone(), first.clone()]);
    signer.prune(over.plus(Duration::from_millis(1))).unwrap();
    assert_eq!(ids(&signer), std::slice::from_ref(&second));
    assert!(!path_of(root.path(), &first).exists());
    assert_eq!(signer.sign(&[1; 32]).await.unwrap().key_id, second);
}

#[test]
fn wall_clock_ahead_removes_no_former_key() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &OsEntropy);
    let first = ids(&signer)[0].clone();
    let second = signer.rotate(&OsEntropy, NOW).unwrap();
    let ahead = NOW.plus(2 * FORMER_KEY_KEPT);
    let directory = PrivateDirectory::open(root.path()).unwrap();
    let signer = KeyFileSigner::open(directory, &OsEntropy, ahead, NOW).unwrap();
    assert_eq!(ids(&signer), [second.clone(), first.clone()]);
    let third = signer.rotate(&OsEntropy, ahead).unwrap();
    assert_eq!(ids(&signer), [third, second, first.clone()]);
    assert!(path_of(root.path(), &first).exists());
}

#[test]
fn rotation_is_refused_when_too_many_former_keys_are_published() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &OsEntropy);
    for _ in 0..MAX_FORMER_KEYS {
        signer.rotate(&OsEntropy, NOW).unwrap();
    }
    let published = ids(&signer);
    assert_eq!(published.len(), MAX_FORMER_KEYS + 1);
    let refused = signer.rotate(&OsEntropy, NOW).unwrap_err();
    assert!(matches!(refused, KeyError::TooManyFormer), "{refused:?}");
    assert_eq!(ids(&signer), published);
    // After their publication has ended, rotation works again without a restart.
    let later = NOW.plus(FORMER_KEY_KEPT).plus(Duration::from_millis(1));
    signer.prune(later).unwrap();
    let next = signer.rotate(&OsEntropy, later).unwrap();
    assert_eq!(ids(&signer), [next, published[0].clone()]);
}

#[test]
fn former_key_without_a_note_is_published_from_now() {
    let root = tempdir().unwrap();
    let signer = open(root.path(), &OsEntropy);
    let first = ids(&signer)[0].clone();
    signer.rotate(&OsEntropy, NOW).unwrap();
    let path = path_of(root.path(), &first);
    let noted = fs::read_to_string(&path).unwrap();
    let (_, pem) = noted.split_once('\n').unwrap();
    fs::write(&path, pem).unwrap();
    drop(open(root.path(), &OsEntropy));
    assert_eq!(fs::read_to_string(&path).unwrap(), noted);
}
