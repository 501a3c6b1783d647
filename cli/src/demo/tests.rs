use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Parser as _;
use countersign_domain::app::login::{LoginSettings, PayloadEncryption};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use countersign_system::entropy::OsEntropy;
use tempfile::TempDir;

use super::*;
use crate::admin::request::Answer as _;
use crate::server_address::ServerAddress;
use crate::storage::{self, IfMissing, Storage};

/// A clock that advances by a millisecond with each reading, so that no two keys have the same age.
struct SteppingClock(AtomicU64);

impl Clock for SteppingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// A data directory across several server starts.
struct Starts {
    clock: SteppingClock,
    storage: Storage,
    data: DataDir,
    secret: WebhookSecret,
    _folder: TempDir,
}

impl Starts {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::create(folder.path()).unwrap();
        let lock = data.lock(Duration::ZERO).unwrap();
        let storage = storage::open(
            &data,
            &lock,
            IfMissing::Refused,
            std::sync::Arc::new(countersign_system::clock::SystemClock),
        )
        .unwrap();
        Self {
            clock: SteppingClock(AtomicU64::new(1_700_000_000_000)),
            storage,
            data,
            secret: WebhookSecret::generate(&OsEntropy),
            _folder: folder,
        }
    }

    fn ports(&self) -> DemoPorts<'_> {
        DemoPorts {
            store: self.storage.store.as_ref(),
            clock: &self.clock,
            entropy: &OsEntropy,
        }
    }

    async fn start(&self, url: &str) -> Demo {
        let bound = url.strip_prefix("http://").unwrap().parse().unwrap();
        let pages = ServerAddress::new(bound, None, &[]).pages();
        prepare(self.ports(), &self.data, &pages, &self.secret)
            .await
            .unwrap()
    }

    async fn ready(&self, url: &str) -> (DemoFile, KeyOrigin) {
        match self.start(url).await {
            Demo::Ready {
                file,
                api_key,
                origin,
            } => {
                assert_eq!(file.api_key, api_key.reveal());
                assert_eq!(DemoFile::read(&self.data).unwrap().as_ref(), Some(&file));
                let found = self
                    .storage
                    .store
                    .lookup_key(&api_key.hash())
                    .await
                    .unwrap();
                assert!(matches!(found, KeyLookup::Active(app) if app.id.as_str() == NAME));
                (file, origin)
            }
            Demo::NoKey { active } => panic!("no key, but {active:?}"),
        }
    }

    async fn issue(&self) -> PresentedApiKey {
        let key = PresentedApiKey::generate(&OsEntropy);
        let record = ApiKeyRecord {
            hash: key.hash(),
            issued_at: self.clock.now(),
            revoked_at: None,
            mode: KeyMode::Live,
            label: None,
        };
        let demo = NAME.parse::<AppId>().unwrap();
        let issued = self.storage.store.issue_key(&demo, record).await.unwrap();
        assert_eq!(issued, IssueKeyOutcome::Issued);
        key
    }

    async fn revoke(&self, key: &str) {
        let (demo, key) = (
            NAME.parse::<AppId>().unwrap(),
            key.parse::<PresentedApiKey>().unwrap(),
        );
        let id = key.hash().id();
        self.storage
            .store
            .revoke_key(&demo, &id, self.clock.now())
            .await
            .unwrap();
    }

    async fn login(&self) -> LoginSettings {
        let demo = NAME.parse::<AppId>().unwrap();
        let app = self.storage.store.find_app(&demo).await.unwrap();
        app.unwrap().login.clone()
    }

    async fn issued(&self) -> usize {
        self.storage
            .store
            .list_keys(&NAME.parse::<AppId>().unwrap())
            .await
            .unwrap()
            .len()
    }
}

#[tokio::test]
async fn first_start_creates_the_app_and_later_ones_keep_it() {
    let starts = Starts::new();
    let (first, origin) = starts.ready("http://127.0.0.1:1").await;
    assert_eq!(origin, KeyOrigin::First);
    assert_eq!(first.send_to, NUMBER);
    assert_eq!(first.inbound_secret, starts.secret.reveal().as_str());
    let mode = std::fs::metadata(starts.data.demo())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    let (second, origin) = starts.ready("http://127.0.0.1:2").await;
    assert_eq!(origin, KeyOrigin::Kept);
    assert_eq!(second.url, "http://127.0.0.1:2");
    assert_eq!(second.former_pages, first.pages);
    assert_eq!(
        DemoFile {
            url: first.url.clone(),
            pages: first.pages.clone(),
            former_pages: Vec::new(),
            ..second
        },
        first
    );
    assert_eq!(starts.issued().await, 1);
}

#[tokio::test]
async fn login_settings_follow_the_url_and_keep_operator_settings() {
    let starts = Starts::new();
    starts.ready("http://127.0.0.1:1").await;
    let first = starts.login().await;
    let pages = ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"];
    assert_eq!(
        first
            .origins
            .iter()
            .map(WebOrigin::as_str)
            .collect::<Vec<_>>(),
        pages
    );
    assert_eq!(first.link_host.unwrap().as_str(), "localhost:1");

    let admin = crate::admin::Admin::of_storage(&starts.storage, true, None);
    let change = "countersign app update demo --origin http://localhost:3000 --origin \
                  http://localhost:1 --payload-encryption optional"
        .replace("                  ", "");
    let change = crate::args::Cli::try_parse_from(change.split(' ')).unwrap();
    let crate::args::Subcommand::App(change) = change.command else {
        panic!()
    };
    let crate::args::AppCommand::Update(change) = change.command else {
        panic!()
    };
    admin.execute(change, "anna").await.unwrap();
    starts.ready("http://127.0.0.1:2").await;
    let second = starts.login().await;
    let pages = [
        "http://localhost:3000",
        "http://localhost:1",
        "http://127.0.0.1:2",
        "http://localhost:2",
        "http://[::1]:2",
    ];
    assert_eq!(
        second
            .origins
            .iter()
            .map(WebOrigin::as_str)
            .collect::<Vec<_>>(),
        pages
    );
    assert_eq!(second.link_host.unwrap().as_str(), "localhost:2");
    assert_eq!(second.payload_encryption, PayloadEncryption::Optional);
    starts.ready("http://127.0.0.1:3").await;
    let third = starts.login().await.origins;
    assert!(!third.iter().any(|origin| origin.site() == "localhost:1"));
}

#[tokio::test]
async fn file_has_the_documented_member_names() {
    let starts = Starts::new();
    starts.ready("http://127.0.0.1:1").await;
    let text = starts.data.read(DEMO).unwrap().unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut names: Vec<_> = json.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(
        names,
        [
            "apiKey",
            "appKey",
            "formerPages",
            "inboundSecret",
            "pages",
            "sendTo",
            "url"
        ]
    );
}

#[tokio::test]
async fn lost_file_or_revoked_key_is_replaced_once() {
    let starts = Starts::new();
    let (first, _) = starts.ready("http://127.0.0.1:1").await;
    std::fs::remove_file(starts.data.demo()).unwrap();
    let (second, origin) = starts.ready("http://127.0.0.1:1").await;
    assert_eq!(origin, KeyOrigin::Replaced);
    assert_ne!(second.api_key, first.api_key);

    starts.revoke(&second.api_key).await;
    let (third, origin) = starts.ready("http://127.0.0.1:1").await;
    assert_eq!(origin, KeyOrigin::Replaced);
    assert_ne!(third.api_key, second.api_key);
}

#[tokio::test]
async fn app_with_two_unknown_keys_gets_no_third_and_no_file() {
    let starts = Starts::new();
    let (first, _) = starts.ready("http://127.0.0.1:1").await;
    let second = starts.issue().await;
    starts.data.write(DEMO, "{}").unwrap();
    let Demo::NoKey { active } = starts.start("http://127.0.0.1:1").await else {
        panic!("a third key");
    };
    let first_id = first
        .api_key
        .parse::<PresentedApiKey>()
        .unwrap()
        .hash()
        .id();
    assert_eq!(active, [first_id, second.hash().id()]);
    assert!(!starts.data.demo().exists());
    assert_eq!(starts.issued().await, 2);
}

#[tokio::test]
async fn key_in_the_file_is_issued_at_the_next_start() {
    let starts = Starts::new();
    let (first, _) = starts.ready("http://127.0.0.1:1").await;
    // The state after a crash between the two writes, or with a deleted store.
    let other = Starts::new();
    first.write(&other.data).unwrap();
    let (kept, origin) = other.ready("http://127.0.0.1:1").await;
    assert_eq!(kept.api_key, first.api_key);
    assert_eq!(origin, KeyOrigin::First);
    assert_eq!(other.issued().await, 1);
}

#[tokio::test]
async fn key_of_another_app_is_not_used() {
    let starts = Starts::new();
    starts.ready("http://127.0.0.1:1").await;
    let admin = crate::admin::Admin::of_storage(&starts.storage, true, None);
    let new = crate::admin::apps::CreateApp {
        app: "shop".parse().unwrap(),
        settings: crate::admin::settings::AppOptions::default(),
    };
    let made = admin.execute(new, "anna").await.unwrap();
    let made: serde_json::Value = serde_json::from_str(&made.json().unwrap()).unwrap();
    let key = made["apiKey"].as_str().unwrap();
    let file = DemoFile::read(&starts.data).unwrap().unwrap();
    DemoFile {
        api_key: key.to_owned(),
        ..file
    }
    .write(&starts.data)
    .unwrap();
    let (file, origin) = starts.ready("http://127.0.0.1:1").await;
    assert_eq!(origin, KeyOrigin::Replaced);
    assert_ne!(file.api_key, key);
}

#[test]
fn debug_hides_secrets() {
    let file = DemoFile {
        url: "http://127.0.0.1:1".to_owned(),
        pages: Vec::new(),
        former_pages: Vec::new(),
        api_key: "secret".to_owned(),
        app_key: String::new(),
        inbound_secret: "secret".to_owned(),
        send_to: String::new(),
    };
    assert!(!format!("{file:?}").contains("secret"));
}
