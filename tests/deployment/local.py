"""AWS on this machine, for developers: `local.py emulator` starts the emulator on a port that stays the same, and
`local.py deploy` builds the template and deploys it there, and `local.py text FROM TO TEXT` sends it a text."""

import json
import os
import signal
import sys
import uuid
from types import SimpleNamespace

import deployment
import emulator
import stacks

PORT = int(os.environ.get("COUNTERSIGN_EMULATOR_PORT", "4566"))
URL = f"http://127.0.0.1:{PORT}"
ENVIRONMENT = deployment.ROOT / ".tools" / "local.env"


def start():
    """Runs the emulator until Ctrl-C."""
    # Loopback only. The deployment is lost when it ends.
    running = emulator.Emulator(functions_call=URL, EMULATOR_PORT=str(PORT))
    # A shell makes its background jobs ignore Ctrl-C, and a supervisor stops them with SIGTERM.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    print(f"AWS is at {URL}. Deploy to it in a second terminal: make deploy-local", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        running.close()


def client(service):
    """Returns a client for a service of the emulator."""
    return emulator.client_of(URL, service)


def deploy():
    """Deploys the functions as they are now, for the first time or again, and says how to use them."""
    deployment.build()
    # Creating it again changes nothing.
    client("s3").create_bucket(Bucket=deployment.ARTIFACTS)
    deployment.deploy(SimpleNamespace(url=URL), deployment.BUILT)
    out = stacks.outputs(client, deployment.STACK)
    # The deployed functions' environment, for functions that run outside the emulator.
    variables = emulator.OPERATOR | {"AWS_ENDPOINT_URL": URL}
    # The OpenID provider is not switched on.
    for function in (name for name in deployment.FUNCTIONS if name != "openid"):
        found = client("lambda").get_function_configuration(FunctionName=f"{deployment.STACK}-{function}")
        variables |= found["Environment"]["Variables"]
    lines = "".join(f"{name}={value}\n" for name, value in variables.items() if value)
    ENVIRONMENT.write_text(lines, encoding="utf-8")
    print(f"""
Deployed. The API: http://{out["ApiId"]}.execute-api.localhost:{PORT}

An app, with its API key:
  set -a; . {ENVIRONMENT}; set +a
  {os.environ["COUNTERSIGN_BIN"]} --table {out["TableName"]} app create shop --sender +12025550199

A text to it, as AWS End User Messaging brings one:
  scripts/emulator.sh text +12025550143 +12025550199 'CS-...'

A function that is built again on each change, and called with a sample event:
  cd functions && CARGO_LAMBDA_COMPILER=cargo cargo lambda watch --env-file {ENVIRONMENT}
  cargo lambda invoke acquire --data-file functions/events/acquire.json
""")


def text(sender, recipient, body):
    """Publishes a text to the topic of the deployment."""
    message = {
        "originationNumber": sender,
        "destinationNumber": recipient,
        "messageBody": body,
        "inboundMessageId": str(uuid.uuid4()),
    }
    topic = stacks.outputs(client, deployment.STACK)["InboundTopicArn"]
    client("sns").publish(TopicArn=topic, Message=json.dumps(message))


if __name__ == "__main__":
    {"emulator": start, "deploy": deploy, "text": text}[sys.argv[1]](*sys.argv[2:])
