//! The webhook is sent in time, whatever the lookup does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use countersign_carrier::BoundedLookup;
use countersign_conformance::model::ModelItems;
use countersign_conformance::samples;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::carrier::{Carrier, CarrierName, LOOKUP_TIMEOUT};
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::signing::{KeyId, PublicKey, Signature, Signer};
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::event::{Event, Labels, Metrics};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::deliver::{DeliveryPorts, deliver};
use countersign_domain::use_cases::{Ports, Times};
use countersign_domain::web::callback_url::CallbackUrl;
use tokio::time::Instant;

use crate::{Fixed, Source};

/// Implements every other port. The clock follows Tokio's, which the test pauses.
struct Host {
    began: Instant,
    /// When each webhook was sent, and its body.
    left: Mutex<Vec<(Duration, String)>>,
    counted: Mutex<Vec<&'static str>>,
}

#[async_trait]
impl DeliveryQueue for Host {
    async fn enqueue(&self, _: DeliveryPointer, _: Duration) -> Result<Enqueued, Unavailable> {
        Ok(Enqueued::Waiting)
    }
}

#[async_trait]
impl Signer for Host {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let key_id = KeyId::from_stored("key".to_owned());
        let der = digest.to_vec();
        Ok(Signature { der, key_id })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl WebhookSender for Host {
    async fn send(&self, _: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        let left = (self.began.elapsed(), request.body.to_string());
        self.left.lock().unwrap().push(left);
        SendOutcome::Answered {
            status: 204,
            retry_after: None,
            beginning: String::new(),
        }
    }
}

impl Clock for Host {
    fn now(&self) -> Timestamp {
        samples::NOW.plus(self.began.elapsed())
    }
}

impl Entropy for Host {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(0);
    }
}

impl Metrics for Host {
    fn count(&self, event: &Event, _: Labels<'_>) {
        self.counted.lock().unwrap().push(event.name());
    }
}

#[tokio::test(start_paused = true)]
async fn webhook_leaves_within_the_bound_of_a_hanging_lookup() {
    let items = Arc::<ModelItems>::default();
    let mut text = samples::text(1);
    text.carrier = CarrierName::default();
    let pending = samples::verified(&samples::acquisition(1), &text, samples::NOW);
    let (id, pointer) = (pending.id, pending.pointer().unwrap());
    items.put(id, pending);
    let lookup = BoundedLookup::new(Source::new(Duration::from_hours(1), Ok("Acme")), 9, &Fixed);
    let host = Arc::new(Host {
        began: Instant::now(),
        left: Mutex::default(),
        counted: Mutex::default(),
    });
    let store = Store::new(items.clone(), host.clone());
    let ports = Ports {
        store: &store,
        queue: &*host,
        clock: &*host,
        entropy: &*host,
        metrics: &*host,
    };
    let sending = DeliveryPorts {
        signer: &*host,
        secrets: &samples::MASTER_SECRET,
        sender: &*host,
        carriers: Some(&lookup),
        push: None,
        receivers: None,
    };
    deliver(ports, sending, Times::default(), pointer)
        .await
        .unwrap();
    let left = host.left.lock().unwrap().clone();
    let [(after, body)] = &left[..] else {
        panic!("{left:?}")
    };
    assert_eq!(*after, LOOKUP_TIMEOUT);
    assert!(body.contains(r#""carrier":"","#), "{body}");
    assert!(host.counted.lock().unwrap().contains(&"carrier_timed_out"));
    let kept = items.every::<Confirmation>();
    let carrier = kept[0].verified();
    let carrier = carrier.map(|verified| verified.carrier.clone());
    assert_eq!(carrier, Some(Carrier::Decided(CarrierName::default())));
}
