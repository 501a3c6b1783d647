"""Stacks of CloudFormation."""


def outputs(client, name):
    """Returns a stack's outputs."""
    stack, = client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    return {out["OutputKey"]: out["OutputValue"] for out in stack["Outputs"]}


def create(client, name, template, **parameters):
    """Creates a stack from a template's text, and returns its outputs."""
    cloudformation = client("cloudformation")
    cloudformation.create_stack(
        StackName=name,
        TemplateBody=template,
        Parameters=[
            {"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()
        ],
        Capabilities=["CAPABILITY_NAMED_IAM"],
    )
    waiter = cloudformation.get_waiter("stack_create_complete")
    waiter.wait(StackName=name, WaiterConfig={"Delay": 1})
    return outputs(client, name)
