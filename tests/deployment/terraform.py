"""The calls that `infra/terraform` makes. Terraform's provider is not available here."""

import re
from pathlib import Path

import waiting
from checkout import Checkout
from deployment import ARCHITECTURE, ROOT, STACK
from emulator import REGION

MODULE = Path(ROOT, "infra", "terraform", "main.tf").read_text(encoding="utf-8")
CAPABILITIES = re.search(r"capabilities += \[(.*)\]", MODULE)[1].replace('"', "").split(", ")
BUCKET = "countersign-terraform"
CHANGES = {
    "an-s3-bucket-of-yours": BUCKET,
    'architecture = "arm64"': f'architecture = "{ARCHITECTURE}"',
    'rollout = "Canary10Percent5Minutes"': 'rollout = "AllAtOnce"',
}
# In path style, because the emulator does not look for a bucket in the host name.
TEMPLATE = f"https://s3.{REGION}.amazonaws.com/{BUCKET}/countersign/template.yaml"


class Terraform:
    """A stack that the module makes and changes."""

    def __init__(self, running, built, folder):
        """Packages the template as the module's README says, in a checkout in `folder`, and uploads it."""
        self._cloudformation = running.client("cloudformation")
        s3 = running.client("s3")
        s3.create_bucket(Bucket=BUCKET)
        checkout = Checkout(folder, COUNTERSIGN_BUILT=str(built), AWS_ENDPOINT_URL=running.url)
        text = Path(ROOT, "infra", "environments", "example.tfvars").read_text(encoding="utf-8")
        for old, new in CHANGES.items():
            assert old in text, old
            text = text.replace(old, new)
        (folder / "infra" / "environments" / "production.tfvars").write_text(text, encoding="utf-8")
        ended, said = checkout.run("infra/terraform/package.sh", "production")
        assert ended == 0, said
        s3.upload_file(str(folder / ".aws-sam" / "packaged.yaml"), BUCKET, "countersign/template.yaml")
        self._make = self._cloudformation.create_stack

    def apply(self, **parameters):
        """Creates the stack, and afterwards updates it, with these parameters."""
        parameters = {"Architecture": ARCHITECTURE, "SigningKeyArn": "", "PublishedKeyArns": "", **parameters}
        self._make(
            StackName=STACK,
            TemplateURL=TEMPLATE,
            Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
            Capabilities=CAPABILITIES,
        )
        self._make = self._cloudformation.update_stack

        def ended():
            stack, = self._cloudformation.describe_stacks(StackName=STACK)["Stacks"]
            return None if stack["StackStatus"].endswith("IN_PROGRESS") else stack["StackStatus"]

        found = waiting.until("the stack", ended)
        assert found in ("CREATE_COMPLETE", "UPDATE_COMPLETE"), found
