"""The roles of infra/deployer.yaml, and a user with the rights of the one that deploys."""

import json
import re

from deployment import ROOT, STACK

NAME = "deployer"
# The emulator does not know this type, and no workflow on GitHub comes to assume the role.
PROVIDER = re.compile(r"^  Provider:\n(?:    .*\n)+", re.MULTILINE)
PROVIDER_ARN = "arn:aws:iam::000000000000:oidc-provider/token.actions.githubusercontent.com"
# The emulator does not ask for them.
UNASKED = {"iam:PassRole", "lambda:GetAccountSettings"}


class Deployer:
    """A user with the rights of the role."""

    def __init__(self, client):
        template = (ROOT / "infra" / "deployer.yaml").read_text(encoding="utf-8")
        cloudformation, iam = client("cloudformation"), client("iam")
        given = {"StackName": STACK, "Repository": "acme/shop", "ProviderArn": PROVIDER_ARN}
        cloudformation.create_stack(
            StackName=f"{STACK}-deployer",
            TemplateBody=PROVIDER.sub("", template),
            Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in given.items()],
            Capabilities=["CAPABILITY_NAMED_IAM"],
        )
        waiter = cloudformation.get_waiter("stack_create_complete")
        waiter.wait(StackName=f"{STACK}-deployer", WaiterConfig={"Delay": 1})
        stack, = cloudformation.describe_stacks(StackName=f"{STACK}-deployer")["Stacks"]
        outputs = {out["OutputKey"]: out["OutputValue"] for out in stack["Outputs"]}
        self.bucket, self.role = outputs["ArtifactsBucket"], outputs["ExecutionRoleArn"]
        role = outputs["DeployerRoleArn"].rpartition("/")[2]
        self.policy = iam.get_role_policy(RoleName=role, PolicyName="deployer")["PolicyDocument"]
        iam.create_user(UserName=NAME)
        iam.put_user_policy(
            UserName=NAME, PolicyName="rights", PolicyDocument=json.dumps(self.policy)
        )
        key = iam.create_access_key(UserName=NAME)["AccessKey"]
        self.key = key["AccessKeyId"]
        self.credentials = {
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        }
