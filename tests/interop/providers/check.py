"""Signs and verifies calls with the SMS providers' own libraries.

Reads a JSON list of jobs from standard input and writes the list of their results: for `sign` an object
with the headers, for `verify` true or false.
"""

import base64
import hashlib
import json
import sys
from urllib.parse import parse_qsl

import nacl.signing
from plivo.utils import signature_v3, validate_signature, validate_v3_signature
from sinch.domains.authentication.sinch_events.v1 import authentication_validation as sinch
from sinch.domains.conversation.sinch_events.v1.conversation_sinch_event import (
    ConversationSinchEvent,
)
from telnyx import Telnyx
from twilio.request_validator import RequestValidator
from vonage_http_client.auth import Auth
from vonage_jwt.verify_jwt import verify_signature


class Parameters(dict):
    """Parameters of which a name may have several values, as web frameworks pass them on."""

    def __init__(self, pairs):
        super().__init__()
        for name, value in pairs:
            self.setdefault(name, []).append(value)

    def getlist(self, name):
        return self[name]


def form(body):
    return parse_qsl(body, keep_blank_values=True, strict_parsing=bool(body))


def vonage(job):
    return Auth(api_key="k", signature_secret=job["secret"], signature_method=job["algorithm"])


TELNYX_KEY = nacl.signing.SigningKey(bytes([1]) * 32)
TELNYX = Telnyx(api_key="k", public_key=base64.b64encode(bytes(TELNYX_KEY.verify_key)).decode())


def telnyx_headers(job):
    signed = TELNYX_KEY.sign(f"{job['timestamp']}|{job['body']}".encode())
    return {
        "telnyx-timestamp": job["timestamp"],
        "telnyx-signature-ed25519": base64.b64encode(signed.signature).decode(),
    }


def telnyx_accepts(job):
    try:
        TELNYX.webhooks.unwrap(job["body"], headers=job["headers"])
    except ValueError:
        return False
    return True


def conversation_accepts(job):
    events = ConversationSinchEvent(job["secret"])
    if not events.validate_authentication_header(job["headers"], job["body"]):
        return False
    # The library agrees that this is a text.
    message = events.parse_event(job["body"]).message
    return message.contact_message is not None and message.channel_identity is not None


SIGN = {
    "twilio": lambda job: {
        "x-twilio-signature": RequestValidator(job["secret"]).compute_signature(
            job["url"], Parameters(job["params"]), job["algorithm"]
        )
    },
    "vonage-sms": lambda job: {"sig": vonage(job).sign_params(dict(job["params"]))},
    "telnyx": telnyx_headers,
    "plivo-v3": lambda job: {
        "x-plivo-signature-v3": signature_v3.get_signature_v3(
            job["secret"].encode(),
            signature_v3.construct_post_url(job["url"], Parameters(job["params"])).decode(),
            job["nonce"].encode(),
        ).decode(),
        "x-plivo-signature-v3-nonce": job["nonce"],
    },
    "sinch": lambda job: {
        "x-sinch-webhook-signature": sinch.calculate_sinch_event_signature(
            sinch.compute_signed_data(job["body"], job["nonce"], job["timestamp"]), job["secret"]
        ),
        "x-sinch-webhook-signature-nonce": job["nonce"],
        "x-sinch-webhook-signature-timestamp": job["timestamp"],
    },
}
SIGN["sinch-conversation"] = SIGN["sinch"]

VERIFY = {
    "twilio": lambda job: RequestValidator(job["secret"]).validate(
        job["url"],
        Parameters(form(job["body"])),
        job["headers"]["x-twilio-signature"],
        job["algorithm"],
    ),
    "vonage-sms": lambda job: vonage(job).check_signature(json.loads(job["body"])),
    # The library only checks the token, and its users compare the hash.
    "vonage-messages": lambda job: verify_signature(
        job["headers"]["authorization"].removeprefix("Bearer "), job["secret"]
    )
    and job["payload_hash"] == hashlib.sha256(job["body"].encode()).hexdigest(),
    "telnyx": telnyx_accepts,
    "plivo-v2": lambda job: validate_signature(
        job["url"],
        job["headers"]["x-plivo-signature-v2-nonce"],
        job["headers"]["x-plivo-signature-v2"],
        job["secret"],
    ),
    "plivo-v3": lambda job: validate_v3_signature(
        "POST",
        job["url"],
        job["headers"]["x-plivo-signature-v3-nonce"],
        job["secret"],
        job["headers"]["x-plivo-signature-v3"],
        Parameters(form(job["body"])),
    ),
    "sinch": lambda job: sinch.validate_sinch_event_signature_with_nonce(
        job["secret"], job["headers"], job["body"]
    ),
    "sinch-conversation": conversation_accepts,
}

ACTIONS = {"sign": SIGN, "verify": VERIFY}

jobs = json.load(sys.stdin)
json.dump([ACTIONS[job["action"]][job["provider"]](job) for job in jobs], sys.stdout)
