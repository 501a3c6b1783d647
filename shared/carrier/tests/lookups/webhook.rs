//! The webhook is sent in time, whatever the lookup does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use countersign_carrier::BoundedLookup;
use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{
    DigestSigner, FixedEntropy, KeptMetrics, KeptQueue, TokioClock,
};
use countersign_conformance::samples;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::carrier::{Carrier, CarrierName, LOOKUP_TIMEOUT};
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::store::Store;
use countersign_domain::use_cases::deliver::{DeliveryPorts, deliver};
use countersign_domain::use_cases::{Ports, Times};
use countersign_domain::web::callback_url::CallbackUrl;
use tokio::time::Instant;

use crate::{FIXED, Source};

/// A receiver of webhooks.
struct Host {
    began: Instant,
    /// When each webhook was sent, and its body.
    left: Mutex<Vec<(Duration, String)>>,
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

#[tokio::test(start_paused = true)]
async fn webhook_leaves_within_the_bound_of_a_hanging_lookup() {
    let items = Arc::<ModelItems>::default();
    let mut text = samples::text(1);
    text.carrier = CarrierName::default();
    let pending = samples::verified(&samples::acquisition(1), &text, samples::NOW);
    let (id, pointer) = (pending.id, pending.pointer().unwrap());
    items.put(id, pending);
    let lookup = BoundedLookup::new(Source::new(Duration::from_hours(1), Ok("Acme")), 9, &FIXED);
    let host = Arc::new(Host {
        began: Instant::now(),
        left: Mutex::default(),
    });
    let clock = Arc::new(TokioClock(host.began));
    let metrics = KeptMetrics::default();
    let store = Store::new(items.clone(), clock.clone());
    let ports = Ports {
        store: &store,
        queue: &KeptQueue::default(),
        clock: &*clock,
        entropy: &FixedEntropy(0),
        metrics: &metrics,
    };
    let sending = DeliveryPorts {
        signer: &DigestSigner::default(),
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
    assert!(metrics.take().contains(&"carrier_timed_out"));
    let kept = items.every::<Confirmation>();
    let carrier = kept[0].verified();
    let carrier = carrier.map(|verified| verified.carrier.clone());
    assert_eq!(carrier, Some(Carrier::Decided(CarrierName::default())));
}
