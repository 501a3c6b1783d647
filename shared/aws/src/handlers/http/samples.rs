//! Events of each kind, as documented by AWS, for tests.

use serde_json::{Map, Value, json};

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Payload 1.0 from a REST API, whose path does not include the stage.
    RestApi,
    /// Payload 1.0 from an HTTP API, whose path begins with the stage.
    HttpApiV1,
    /// Payload 2.0 from an HTTP API.
    HttpApi,
    /// Payload 2.0 from a function URL.
    FunctionUrl,
    LoadBalancer,
    /// A load balancer that sends all values of a header.
    LoadBalancerMultiValue,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] = [
        Self::RestApi,
        Self::HttpApiV1,
        Self::HttpApi,
        Self::FunctionUrl,
        Self::LoadBalancer,
        Self::LoadBalancerMultiValue,
    ];
}

/// A request that an event represents.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Option<String>,
    pub(crate) is_encoded: bool,
    pub(crate) peer: String,
    pub(crate) id: String,
    /// The stage of the API; empty for function URLs and load balancers.
    pub(crate) stage: String,
}

impl Sample {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            query: Vec::new(),
            body: None,
            is_encoded: false,
            peer: "192.0.2.1".to_owned(),
            id: "JKJaXmPLvHcESHA=".to_owned(),
            stage: "$default".to_owned(),
        }
        .header("host", "api.example")
        .header("x-forwarded-proto", "https")
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn query(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        self.body = Some(body.to_owned());
        self
    }

    pub(crate) fn encoded(mut self) -> Self {
        self.is_encoded = true;
        self
    }

    pub(crate) fn stage(mut self, stage: &str) -> Self {
        stage.clone_into(&mut self.stage);
        self
    }

    /// Returns an event of this kind for the request.
    pub(crate) fn event(&self, kind: Kind) -> Value {
        match kind {
            Kind::RestApi => self.payload_v1(&self.path),
            Kind::HttpApiV1 => self.payload_v1(&self.staged()),
            Kind::HttpApi => self.payload_v2(&self.stage, &self.staged()),
            Kind::FunctionUrl => self.payload_v2("$default", &self.path),
            Kind::LoadBalancer => self.load_balancer(&json!({
                "headers": last(&self.forwarded()),
                "queryStringParameters": last(&self.query),
            })),
            Kind::LoadBalancerMultiValue => self.load_balancer(&json!({
                "multiValueHeaders": all(&self.forwarded()),
                "multiValueQueryStringParameters": all(&self.query),
            })),
        }
    }

    fn payload_v1(&self, path: &str) -> Value {
        let or_null = |map: Value| if map == json!({}) { Value::Null } else { map };
        json!({
            "resource": "/{proxy+}",
            "path": path,
            "httpMethod": self.method,
            "headers": last(&self.headers),
            "multiValueHeaders": all(&self.headers),
            "queryStringParameters": or_null(last(&self.query)),
            "multiValueQueryStringParameters": or_null(all(&self.query)),
            "pathParameters": { "proxy": "x" },
            "stageVariables": null,
            "requestContext": {
                "accountId": "123456789012",
                "resourceId": "roq9wj",
                "resourcePath": "/{proxy+}",
                "path": self.staged(),
                "stage": self.stage,
                "domainName": "abcd123.execute-api.eu-west-1.amazonaws.com",
                "domainPrefix": "abcd123",
                "requestId": self.id,
                "protocol": "HTTP/1.1",
                "httpMethod": self.method,
                "requestTime": "02/Jan/2026:12:45:07 +0000",
                "requestTimeEpoch": 1_767_357_907_000_u64,
                "authorizer": null,
                "identity": {
                    "apiKey": "plan-key",
                    "apiKeyId": "plan-key-id",
                    "sourceIp": self.peer,
                    "userAgent": "curl/8",
                    "vpceId": "vpce-0123",
                },
                "apiId": "abcd123",
            },
            "body": self.body,
            "isBase64Encoded": self.is_encoded,
        })
    }

    fn payload_v2(&self, stage: &str, path: &str) -> Value {
        let mut headers = self.headers.clone();
        headers.retain(|(name, _)| name != "cookie");
        let cookies: Vec<_> = self
            .headers
            .iter()
            .filter(|(name, _)| name == "cookie")
            .collect();
        let cookies: Vec<_> = cookies.iter().map(|(_, value)| value).collect();
        let query: Vec<_> = self
            .query
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        json!({
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": query.join("&"),
            "cookies": cookies,
            "headers": joined(&headers),
            "queryStringParameters": joined(&self.query),
            "requestContext": {
                "accountId": "123456789012",
                "apiId": "abcd123",
                "authentication": null,
                "authorizer": { "iam": { "accessKey": "AKIA", "userArn": "arn:aws:iam::1:user/x" } },
                "domainName": "abcd123.lambda-url.eu-west-1.on.aws",
                "domainPrefix": "abcd123",
                "http": {
                    "method": self.method,
                    "path": path,
                    "protocol": "HTTP/1.1",
                    "sourceIp": self.peer,
                    "userAgent": "curl/8",
                },
                "requestId": self.id,
                "routeKey": "$default",
                "stage": stage,
                "time": "02/Jan/2026:12:45:07 +0000",
                "timeEpoch": 1_767_357_907_000_u64,
            },
            "body": self.body,
            "isBase64Encoded": self.is_encoded,
        })
    }

    fn load_balancer(&self, maps: &Value) -> Value {
        let mut event = json!({
            "requestContext": {
                "elb": {
                    "targetGroupArn":
                        "arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/x/1",
                },
            },
            "httpMethod": self.method,
            "path": self.path,
            "body": self.body.clone().unwrap_or_default(),
            "isBase64Encoded": self.is_encoded,
        });
        let members = event.as_object_mut().unwrap();
        members.extend(maps.as_object().unwrap().clone());
        event
    }

    fn staged(&self) -> String {
        match self.stage.as_str() {
            "$default" => self.path.clone(),
            stage => format!("/{stage}{}", self.path),
        }
    }

    /// Returns the headers, including the one that a load balancer adds.
    fn forwarded(&self) -> Vec<(String, String)> {
        let mut headers = self.headers.clone();
        let name = "x-forwarded-for";
        match headers.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => *value = format!("{value}, {}", self.peer),
            None => headers.push((name.to_owned(), self.peer.clone())),
        }
        headers
    }
}

/// Returns the last value of each name.
fn last(pairs: &[(String, String)]) -> Value {
    let pairs = pairs.iter().cloned();
    pairs
        .map(|(name, value)| (name, json!(value)))
        .collect::<Map<_, _>>()
        .into()
}

/// Returns all values of each name.
fn all(pairs: &[(String, String)]) -> Value {
    let mut all = Map::new();
    for (name, value) in pairs {
        let values = all.entry(name.clone()).or_insert_with(|| json!([]));
        values.as_array_mut().unwrap().push(json!(value));
    }
    all.into()
}

/// Returns the values of each name, joined by commas.
fn joined(pairs: &[(String, String)]) -> Value {
    let mut joined = Map::<String, Value>::new();
    for (name, value) in pairs {
        let text = match joined.get(name).and_then(Value::as_str) {
            Some(before) => format!("{before},{value}"),
            None => value.clone(),
        };
        joined.insert(name.clone(), json!(text));
    }
    joined.into()
}
