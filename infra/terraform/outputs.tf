output "api_url" {
  description = "Where the API is."
  value       = var.domain_name == "" ? aws_apigatewayv2_api.main.api_endpoint : "https://${var.domain_name}"
}

output "api_id" {
  description = "Of the HTTP API."
  value       = aws_apigatewayv2_api.main.id
}

output "widget_url" {
  description = "The login element, for a page's script."
  value       = "${var.domain_name == "" ? aws_apigatewayv2_api.main.api_endpoint : "https://${var.domain_name}"}/widget.js"
}

output "socket_url" {
  description = "Where browsers watch their logins."
  value       = local.socket_url
}

output "socket_api_id" {
  description = "Of the WebSocket API."
  value       = aws_apigatewayv2_api.socket.id
}

output "api_domain_target" {
  description = "What records for domain_name that are kept elsewhere point at."
  value       = one(aws_apigatewayv2_domain_name.main[*].domain_name_configuration[0].target_domain_name)
}

output "table_name" {
  description = "What `countersign --table` takes."
  value       = aws_dynamodb_table.main.name
}

output "table_arn" {
  description = "Of the table."
  value       = aws_dynamodb_table.main.arn
}

output "signing_key_arn" {
  description = "The key that webhooks are signed with."
  value       = local.signing_key_arn
}

output "inbound_topic_arn" {
  description = "Where AWS End User Messaging publishes texts."
  value       = aws_sns_topic.inbound.arn
}

output "inbound_secret_arn" {
  description = "The secret that signs texts sent over HTTP, made by this deployment."
  value       = one(aws_secretsmanager_secret.inbound[*].arn)
}

output "phone_number" {
  description = "The number of this deployment."
  value       = one(aws_pinpointsmsvoicev2_phone_number.own[*].phone_number)
}

output "first_attempts_queue_url" {
  description = "First attempts."
  value       = aws_sqs_queue.first_attempts.url
}

output "first_attempts_dead_queue_url" {
  description = "First attempts that could not be handled."
  value       = aws_sqs_queue.first_attempts_dead.url
}

output "first_attempts_dead_queue_arn" {
  description = "The same, for a redrive."
  value       = aws_sqs_queue.first_attempts_dead.arn
}

output "retries_queue_url" {
  description = "Retries."
  value       = aws_sqs_queue.retries.url
}

output "retries_dead_queue_url" {
  description = "Retries that could not be handled."
  value       = aws_sqs_queue.retries_dead.url
}

output "retries_dead_queue_arn" {
  description = "The same, for a redrive."
  value       = aws_sqs_queue.retries_dead.arn
}

output "inbound_sns_undelivered_queue_url" {
  description = "Texts that SNS could not hand over."
  value       = aws_sqs_queue.inbound_sns_undelivered.url
}

output "inbound_sns_failed_queue_url" {
  description = "Texts that the function could not deal with."
  value       = aws_sqs_queue.inbound_sns_failed.url
}

output "alarm_topic_arn" {
  description = "Where alarms go; subscribe whatever pages you."
  value       = aws_sns_topic.alarms.arn
}

output "dashboard_url" {
  description = "The dashboard."
  value       = "https://${local.region}.console.aws.amazon.com/cloudwatch/home?region=${local.region}#dashboards/dashboard/${aws_cloudwatch_dashboard.main.dashboard_name}"
}

output "function_names" {
  description = "The functions by the names of their binaries."
  value       = { for name, function in aws_lambda_function.main : name => function.function_name }
}
