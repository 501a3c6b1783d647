"""The shop of phone-shop.mjs, with the library for Python."""

import json
import os
from typing import Any

from countersign import Countersign, KnownKey, LoginVerificationError, to_json
from countersign.approvals import ApprovalResult
from countersign.flask import login, webhook
from flask import Flask, request
from werkzeug.serving import make_server


def env(name: str) -> str:
    return os.environ[f"COUNTERSIGN_{name}"]


def say(**line: Any) -> None:
    print(json.dumps(line), flush=True)


client = Countersign(
    url=env("URL"), api_key=env("API_KEY"), app_key=env("APP_KEY"), webhook_secret=env("WEBHOOK_SECRET")
)
app = Flask(__name__)

owners: dict[str, str] = {}
"""Users by the id of their phone's key, as the webhook names them."""


def find_key(key_id: str) -> KnownKey | None:
    user = owners.get(key_id)
    keys = client.association_keys.list(public_user_id=user) if user else []
    key = next((one for one in keys if one.key_id == key_id), None)
    return key and KnownKey(key.public_key, user, key.kind, key.rp_id, key.origin)


@app.post("/register")
def register() -> Any:
    asked = request.get_json()
    created = client.phone_registrations.create(public_user_id=asked["publicUserId"], label=asked["label"])
    return to_json(created)


@app.post("/registration")
def registration() -> Any:
    return to_json(client.phone_registrations.get(request.get_json()["id"]))


@app.post("/start")
def start() -> Any:
    asked = request.get_json()
    started = client.approvals.start(
        origin=asked["origin"], context=asked["context"], user_id=asked["userId"]
    )
    return {"id": started.id, "session": started.session}


@app.post("/result")
def result() -> Any:
    return json_of(client.approvals.result(request.get_json()["id"], find_key=find_key))


def json_of(result: ApprovalResult) -> dict[str, Any]:
    names = {"user_id": "userId", "key_id": "keyId", "expires_in": "expiresIn"}
    return {names.get(name, name): value for name, value in vars(result).items()}


@app.post("/verify")
def verify() -> Any:
    asked = request.get_json()
    find = find_key
    if "keys" in asked:
        keys = {
            key["keyId"]: KnownKey(
                key["publicKey"], key["userId"], key["kind"], key.get("rpId"), key.get("origin")
            )
            for key in asked["keys"]
        }
        find = keys.get
    try:
        found = client.logins.verify(
            session_id=asked["sessionId"],
            proof=asked["proof"],
            origin=asked["origin"],
            context=asked["context"],
            find_key=find,
            opened_by_server=True,
        )
    except LoginVerificationError as refused:
        return {"refused": str(refused)}
    return {"userId": found.user_id, "keyId": found.key_id}


def on_phone_registered(phone: Any) -> None:
    owners[phone.key_id] = phone.public_user_id
    say(
        event="phone",
        id=phone.registration_id,
        user=phone.public_user_id,
        keyId=phone.key_id,
        kind=phone.kind,
    )


app.post("/webhook")(
    webhook(
        client,
        on_phone_registered=on_phone_registered,
        on_approval=lambda result: say(event="approval", **json_of(result)),
        find_key=find_key,
    )
)
app.post("/login")(
    login(
        client,
        origin=env("SHOP_ORIGIN"),
        find_key=find_key,
        on_login=lambda found, _: {"userId": found.user_id, "keyId": found.key_id},
    )
)

server = make_server("127.0.0.1", 0, app, threaded=True)
say(event="ready", url=f"http://127.0.0.1:{server.port}")
server.serve_forever()
