"""Calls of SMS providers, signed by each provider's rules."""

import base64
import datetime
import hashlib
import hmac
import json
import secrets
import urllib.parse
import uuid

import standardwebhooks

import http_api

FORM = "application/x-www-form-urlencoded"


class Providers:
    """The providers that the deployment has turned on, each with the secret that it signs with."""

    def __init__(self, deployment, administration):
        self._deployment = deployment
        self._administration = administration
        # The provider chooses these secrets, except the generic one.
        self.twilio_token = secrets.token_hex(16)
        self.new_twilio_token = secrets.token_hex(16)
        self._plivo_token = secrets.token_hex(16)
        self._vonage_secret = secrets.token_hex(16)
        administration.add_provider("twilio", self.twilio_token)
        administration.add_provider("plivo", self._plivo_token, "--signature=v2")
        administration.add_provider("vonage-sms", self._vonage_secret, "--algorithm=sha256")
        self._generic_secret = administration.add_provider("generic", "")["generated"]

    def rotate_twilio(self):
        """Turns another auth token on beside the present one."""
        added = self._administration.add_provider("twilio", self.new_twilio_token)
        assert added["secrets"] == 2

    def generic(self, text, carrier=None, secret=None):
        """Sends a text as the Standard Webhooks library signs it."""
        body = json.dumps(text | ({"carrier": carrier} if carrier else {}))
        message_id, now = f"msg_{uuid.uuid4().hex}", datetime.datetime.now(datetime.UTC)
        signer = standardwebhooks.Webhook(secret or self._generic_secret)
        headers = {
            "Content-Type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": signer.sign(message_id, now, body),
        }
        return self._post("generic", body.encode(), headers)

    def twilio(self, text, token=None):
        """Sends a text as Twilio does: it signs the URL and all parameters."""
        fields = {
            "MessageSid": f"SM{uuid.uuid4().hex}",
            "From": text["from"],
            "To": text["to"],
            "Body": text["text"],
            "NumMedia": "0",
        }
        signed = self._url("twilio") + "".join(name + fields[name] for name in sorted(fields))
        digest = hmac.new((token or self.twilio_token).encode(), signed.encode(), hashlib.sha1)
        headers = {"X-Twilio-Signature": base64.b64encode(digest.digest()).decode()}
        return self._post_form("twilio", fields, headers)

    def plivo(self, text, nonce=None):
        """Sends a text as Plivo does: its signature V2 covers the URL and a nonce."""
        fields = {
            "MessageUUID": str(uuid.uuid4()),
            "From": text["from"].removeprefix("+"),
            "To": text["to"].removeprefix("+"),
            "Text": text["text"],
            "Type": "sms",
        }
        nonce = nonce or secrets.token_hex(10)
        signed = (self._url("plivo") + nonce).encode()
        digest = hmac.new(self._plivo_token.encode(), signed, hashlib.sha256)
        headers = {
            "X-Plivo-Signature-V2": base64.b64encode(digest.digest()).decode(),
            "X-Plivo-Signature-V2-Nonce": nonce,
        }
        return self._post_form("plivo", fields, headers)

    def vonage(self, text, part=None, method="POST"):
        """Sends a text as Vonage's SMS API does: a signature over all parameters. `part` is the reference
        of the whole text, the number of this part, and the number of parts."""
        fields = {
            "msisdn": text["from"].removeprefix("+"),
            "to": text["to"].removeprefix("+"),
            "messageId": secrets.token_hex(8),
            "text": text["text"],
            "type": "text",
            "timestamp": str(int(datetime.datetime.now(datetime.UTC).timestamp())),
            "nonce": secrets.token_hex(8),
        }
        if part:
            names = ("concat-ref", "concat-part", "concat-total")
            fields |= {"concat": "true"} | dict(zip(names, map(str, part), strict=True))
        signed = "".join(f"&{name}={fields[name]}" for name in sorted(fields))
        digest = hmac.new(self._vonage_secret.encode(), signed.encode(), hashlib.sha256)
        fields["sig"] = digest.hexdigest()
        if method == "GET":
            path = f"/inbound-sms/vonage-sms?{urllib.parse.urlencode(fields)}"
            return http_api.call(self._deployment, "GET", path)
        headers = {"Content-Type": "application/json"}
        return self._post("vonage-sms", json.dumps(fields).encode(), headers)

    def vonage_parts(self, text):
        """Sends a text in two parts, the last one first, neither of which holds the whole code. Returns
        both answers."""
        whole, reference = text["text"], secrets.token_hex(4)
        middle = len(whole) // 2
        parts = [(2, whole[middle:]), (1, whole[:middle])]
        return [
            self.vonage(text | {"text": piece}, (reference, number, 2)) for number, piece in parts
        ]

    def _url(self, name):
        return f"{self._deployment.outputs['ApiUrl']}/inbound-sms/{name}"

    def _post_form(self, name, fields, headers):
        body = urllib.parse.urlencode(fields).encode()
        return self._post(name, body, {"Content-Type": FORM, **headers})

    def _post(self, name, body, headers):
        return http_api.call(self._deployment, "POST", f"/inbound-sms/{name}", body, headers)
