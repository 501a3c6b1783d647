"""Users of an account, who have only the rights that a test gives them."""

import json

import emulator


class User:
    """A user with an access key."""

    def __init__(self, client, name, statements):
        self._iam, self._name = client("iam"), name
        self.arn = self._iam.create_user(UserName=name)["User"]["Arn"]
        key = self._iam.create_access_key(UserName=name)["AccessKey"]
        self.key = key["AccessKeyId"]
        self.credentials = {
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        }
        self.grant(statements)

    def client(self, deployment, service):
        """Returns a client for a service with the user's rights."""
        return emulator.client_of(
            deployment.endpoint,
            service,
            aws_access_key_id=self.key,
            aws_secret_access_key=self.credentials["AWS_SECRET_ACCESS_KEY"],
        )

    def grant(self, statements):
        """Gives the user these rights in place of those before."""
        self._iam.put_user_policy(
            UserName=self._name,
            PolicyName="rights",
            PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": statements}),
        )
