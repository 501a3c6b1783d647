# The policy of people who only read the console, from the same template as infra/console.yaml with the AWS command.

terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "deployment" {
  description = "Name of the deployment's stack."
  type        = string
  default     = "countersign"
}

variable "table_name" {
  description = "The output table_name of the deployment."
  type        = string
}

variable "inbound_secret_arn" {
  description = "The output inbound_secret_arn of the deployment, for the second policy; empty for the first one only."
  type        = string
  default     = ""
}

resource "aws_cloudformation_stack" "console" {
  name          = "${var.deployment}-console"
  template_body = file("${path.module}/../../console.yaml")
  parameters = {
    StackName        = var.deployment
    TableName        = var.table_name
    InboundSecretArn = var.inbound_secret_arn
  }
  # The template names its policy.
  capabilities = ["CAPABILITY_NAMED_IAM"]
}

output "reader_policy_arn" {
  description = "The policy to attach to a role, a group or a permission set."
  value       = aws_cloudformation_stack.console.outputs["ConsoleReaderPolicyArn"]
}

output "providers_policy_arn" {
  description = "The policy for the screen of SMS providers; null without their secret."
  value       = lookup(aws_cloudformation_stack.console.outputs, "ConsoleProvidersPolicyArn", null)
}
