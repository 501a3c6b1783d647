# The template's outputs. Conditional outputs are null if their condition is false.

output "api_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "ApiUrl", null) }
output "api_id" { value = lookup(aws_cloudformation_stack.countersign.outputs, "ApiId", null) }
output "widget_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "WidgetUrl", null) }
output "socket_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "SocketUrl", null) }
output "socket_host" { value = lookup(aws_cloudformation_stack.countersign.outputs, "SocketHost", null) }
output "socket_api_id" { value = lookup(aws_cloudformation_stack.countersign.outputs, "SocketApiId", null) }
output "api_domain_target" { value = lookup(aws_cloudformation_stack.countersign.outputs, "ApiDomainTarget", null) }
output "table_name" { value = lookup(aws_cloudformation_stack.countersign.outputs, "TableName", null) }
output "table_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "TableArn", null) }
output "signing_key_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "SigningKeyArn", null) }
output "inbound_topic_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "InboundTopicArn", null) }
output "inbound_secret_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "InboundSecretArn", null) }
output "webhook_secret_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "WebhookSecretArn", null) }
output "open_id_key_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "OpenIdKeyArn", null) }
output "open_id_secret_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "OpenIdSecretArn", null) }
output "phone_number" { value = lookup(aws_cloudformation_stack.countersign.outputs, "PhoneNumber", null) }
output "first_attempts_queue_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "FirstAttemptsQueueUrl", null) }
output "first_attempts_dead_queue_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "FirstAttemptsDeadQueueUrl", null) }
output "first_attempts_dead_queue_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "FirstAttemptsDeadQueueArn", null) }
output "retries_queue_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "RetriesQueueUrl", null) }
output "retries_dead_queue_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "RetriesDeadQueueUrl", null) }
output "retries_dead_queue_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "RetriesDeadQueueArn", null) }
output "inbound_sns_undelivered_queue_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "InboundSnsUndeliveredQueueUrl", null) }
output "inbound_sns_failed_queue_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "InboundSnsFailedQueueUrl", null) }
output "page_topic_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "PageTopicArn", null) }
output "ticket_topic_arn" { value = lookup(aws_cloudformation_stack.countersign.outputs, "TicketTopicArn", null) }
output "dashboard_url" { value = lookup(aws_cloudformation_stack.countersign.outputs, "DashboardUrl", null) }

output "function_names" {
  value = { for name, value in aws_cloudformation_stack.countersign.outputs : name => value if endswith(name, "FunctionName") }
}
