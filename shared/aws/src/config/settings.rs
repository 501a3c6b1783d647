//! The settings of each function.

use countersign_domain::use_cases::Times;

use super::{
    CARRIER_LOOKUP, CARRIER_LOOKUPS_PER_DAY, CarrierLookupSource, Count, Endpoint, Environment,
    FIRST_ATTEMPTS, INBOUND_SECRETS, KeyArn, KeyArns, LOCAL_KEY, LOCAL_KEY_WRAPPER,
    LOCAL_PUBLIC_KEYS, Locally, ORIGIN_SECRET, PUBLIC_URL, PUBLISHED_KEYS, PublicKeys, PublicUrl,
    QueueUrl, RETRIES, SIGNING_KEY, SIGNS, SOCKET_ENDPOINT, SOCKET_URL, SecretName, SocketUrl,
    TOPIC, Table, TopicArn, WEBHOOK_SECRET, WrappedKey,
};

/// Settings of a function.
pub trait Settings: Sized {
    /// Reads every variable, also after one that was wrong.
    fn read(environment: &mut Environment<'_>) -> Option<Self>;
}

/// Defines the settings of functions: each field has its type and the expression that reads it.
macro_rules! settings {
    ($environment:ident: $(
        $(#[$doc:meta])*
        $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty = $read:expr,)* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $kind,)*
        }

        impl Settings for $name {
            fn read($environment: &mut Environment<'_>) -> Option<Self> {
                // All are read before the first `?`, so that all faults are found.
                $(let $field = $read;)*
                Some(Self { $($field: $field?,)* })
            }
        }
    )*};
}

settings! { environment:
    /// Settings of the function `acquire`.
    Acquire {
        table: Table = environment.table(),
        /// Time that confirmations stay open, and time that they are kept.
        times: Times = environment.times(),
        /// The address at which pages ask for the status of confirmations.
        public_url: PublicUrl = environment.required(PUBLIC_URL),
        /// The URL that they open their WebSocket at.
        socket_url: SocketUrl = environment.required(SOCKET_URL),
    }

    /// Settings of the function `confirm`.
    Confirm {
        table: Table = environment.table(),
        /// Time that confirmations stay open, and time that they are kept.
        times: Times = environment.times(),
        /// Only tests need it.
        first_attempts: QueueUrl = environment.required(FIRST_ATTEMPTS),
        /// The address at which pages ask for the status of confirmations.
        public_url: PublicUrl = environment.required(PUBLIC_URL),
        /// The URL that they open their WebSocket at.
        socket_url: SocketUrl = environment.required(SOCKET_URL),
    }

    /// Settings of the function `confirmations`.
    Confirmations {
        table: Table = environment.table(),
        /// Time that confirmations stay open, and time that they are kept.
        times: Times = environment.times(),
        first_attempts: QueueUrl = environment.required(FIRST_ATTEMPTS),
        /// The queue for all later attempts.
        retries: QueueUrl = environment.required(RETRIES),
    }

    /// Settings of the function `inbound-sms`.
    InboundSms {
        table: Table = environment.table(),
        /// Time that confirmations stay open, and time that they are kept.
        times: Times = environment.times(),
        first_attempts: QueueUrl = environment.required(FIRST_ATTEMPTS),
        /// The place of the providers' settings.
        providers: SecretName = environment.required(INBOUND_SECRETS),
        /// The address at which the providers call, unless their settings name another.
        public_url: PublicUrl = environment.required(PUBLIC_URL),
    }

    /// Settings of the function `inbound-sns`.
    InboundSns {
        table: Table = environment.table(),
        /// Time that confirmations stay open, and time that they are kept.
        times: Times = environment.times(),
        first_attempts: QueueUrl = environment.required(FIRST_ATTEMPTS),
        /// The topic that brings texts.
        topic: TopicArn = environment.required(TOPIC),
    }

    /// Settings of the function `dispatcher`.
    Dispatcher {
        table: Table = environment.table(),
        /// Time that confirmations stay open, and time that they are kept.
        times: Times = environment.times(),
        first_attempts: QueueUrl = environment.required(FIRST_ATTEMPTS),
        /// The queue for all later attempts.
        retries: QueueUrl = environment.required(RETRIES),
        signing_key: KeyArn = environment.required(SIGNING_KEY),
        /// The key that signs in its place, if there is one.
        local_key: Option<WrappedKey> = environment.optional(LOCAL_KEY),
        /// The key that encrypted it.
        local_key_wrapper: Option<KeyArn> = environment.optional(LOCAL_KEY_WRAPPER),
        /// The place of the secret from which the apps' secrets derive.
        webhook_secret: SecretName = environment.required(WEBHOOK_SECRET),
        /// Service that looks up carriers that no provider named, if any.
        carrier_lookup: Option<CarrierLookupSource> = environment.optional(CARRIER_LOOKUP),
        /// Limit of carriers that a process looks up in a day.
        carrier_lookups_per_day: Option<Count> = environment.optional(CARRIER_LOOKUPS_PER_DAY),
        /// The endpoint that manages the connections of pages.
        socket_endpoint: Endpoint = environment.required(SOCKET_ENDPOINT),
    }

    /// Settings of the function `sweeper`.
    Sweeper {
        table: Table = environment.table(),
        first_attempts: QueueUrl = environment.required(FIRST_ATTEMPTS),
        /// The queue for all later attempts.
        retries: QueueUrl = environment.required(RETRIES),
    }

    /// Settings of the function `well-known`.
    WellKnown {
        signing_key: KeyArn = environment.required(SIGNING_KEY),
        /// Other keys that are published: former ones and the next one.
        published_keys: KeyArns =
            environment.optional(PUBLISHED_KEYS).map(Option::unwrap_or_default),
        /// Published keys whose private halves are not in KMS.
        local_public_keys: PublicKeys =
            environment.optional(LOCAL_PUBLIC_KEYS).map(Option::unwrap_or_default),
        /// Present if the first of them signs.
        signs_locally: Option<Locally> = environment.optional(SIGNS),
    }

    /// Settings of the function `qr-session`.
    Login {
        table: Table = environment.table(),
        first_attempts: QueueUrl = environment.required(FIRST_ATTEMPTS),
        /// The URL that browsers open their WebSocket at.
        socket_url: SocketUrl = environment.required(SOCKET_URL),
        /// The endpoint that manages their connections.
        socket_endpoint: Endpoint = environment.required(SOCKET_ENDPOINT),
        /// The place of the origin secret, if requests come through CloudFront.
        origin_secret: Option<SecretName> = environment.optional(ORIGIN_SECRET),
    }

    /// Settings of the function `origin-check`.
    OriginCheck {
        /// The place of the origin secret.
        origin_secret: SecretName = environment.required(ORIGIN_SECRET),
    }

    /// Settings of the function `browser-socket`.
    BrowserSocket {
        table: Table = environment.table(),
        /// The endpoint that manages the connections of browsers.
        socket_endpoint: Endpoint = environment.required(SOCKET_ENDPOINT),
    }

    /// Settings of the function `association-keys`.
    AssociationKeys {
        table: Table = environment.table(),
    }
}
