"""The roles of infra/deployer.yaml, and a user with the rights of the one that deploys."""

import re

import stacks
from deployment import ROOT, STACK
from users import User

NAME = "deployer"
# The emulator does not support this type, and no workflow on GitHub assumes the role.
PROVIDER = re.compile(r"^  Provider:\n(?:    .*\n)+", re.MULTILINE)
PROVIDER_ARN = "arn:aws:iam::000000000000:oidc-provider/token.actions.githubusercontent.com"
# The emulator does not require them.
UNASKED = {"iam:PassRole", "lambda:GetAccountSettings"}
# Used by the checks of a deployment that serves the OpenID provider.
FOR_OPENID = {"kms:DescribeKey", "secretsmanager:DescribeSecret"}


class Deployer(User):
    """A user with the rights of the role."""

    def __init__(self, client):
        template = (ROOT / "infra" / "deployer.yaml").read_text(encoding="utf-8")
        outputs = stacks.create(
            client,
            f"{STACK}-deployer",
            PROVIDER.sub("", template),
            StackName=STACK,
            Repository="acme/shop",
            ProviderArn=PROVIDER_ARN,
        )
        self.bucket, self.role = outputs["ArtifactsBucket"], outputs["ExecutionRoleArn"]
        role = outputs["DeployerRoleArn"].rpartition("/")[2]
        held = client("iam").get_role_policy(RoleName=role, PolicyName="deployer")["PolicyDocument"]
        self.statements = held["Statement"]
        super().__init__(client, NAME, self.statements)
