locals {
  widgets = [
    {
      title = "Sessions"
      x     = 0
      y     = 0
      stat  = "Sum"
      metrics = [
        ["Countersign", "created", "Deployment", var.deployment],
        ["Countersign", "replayed", "Deployment", var.deployment],
        ["Countersign", "rate_exceeded", "Deployment", var.deployment],
        ["Countersign", "verified", "Deployment", var.deployment],
      ]
    },
    {
      title = "From text to webhook"
      x     = 12
      y     = 0
      stat  = "Sum"
      metrics = [
        ["Countersign", "text_to_webhook", "Deployment", var.deployment, { stat = "p50" }],
        ["Countersign", "text_to_webhook", "Deployment", var.deployment, { stat = "p90" }],
        ["Countersign", "text_to_webhook", "Deployment", var.deployment, { stat = "p99" }],
      ]
    },
    {
      title = "Attempts and deliveries"
      x     = 0
      y     = 6
      stat  = "Sum"
      metrics = [
        ["Countersign", "attempt_succeeded", "Deployment", var.deployment],
        ["Countersign", "attempt_failed_receiver", "Deployment", var.deployment],
        ["Countersign", "attempt_failed_ours", "Deployment", var.deployment],
        ["Countersign", "delivery_failed", "Deployment", var.deployment],
        ["Countersign", "swept", "Deployment", var.deployment],
        ["Countersign", "enqueue_failed", "Deployment", var.deployment],
      ]
    },
    {
      title = "Texts that changed nothing"
      x     = 12
      y     = 6
      stat  = "Sum"
      metrics = [
        ["Countersign", "text_repeated", "Deployment", var.deployment],
        ["Countersign", "miss_sender", "Deployment", var.deployment],
        ["Countersign", "miss_recipient", "Deployment", var.deployment],
        ["Countersign", "miss_no_code", "Deployment", var.deployment],
        ["Countersign", "miss_ambiguous_code", "Deployment", var.deployment],
        ["Countersign", "miss_unknown", "Deployment", var.deployment],
        ["Countersign", "miss_expired", "Deployment", var.deployment],
        ["Countersign", "miss_cancelled", "Deployment", var.deployment],
        ["Countersign", "miss_already_used", "Deployment", var.deployment],
        ["Countersign", "miss_wrong_sender", "Deployment", var.deployment],
        ["Countersign", "inbound_refused", "Deployment", var.deployment],
        ["Countersign", "text_poisoned", "Deployment", var.deployment],
        ["Countersign", "pointer_poisoned", "Deployment", var.deployment],
      ]
    },
    {
      title = "Messages waiting"
      x     = 0
      y     = 12
      stat  = "Maximum"
      metrics = [
        ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", "${var.deployment}-first-attempts"],
        ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", "${var.deployment}-first-attempts-dead"],
        ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", "${var.deployment}-retries"],
        ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", "${var.deployment}-retries-dead"],
        ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", "${var.deployment}-inbound-sns-undelivered"],
        ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", "${var.deployment}-inbound-sns-failed"],
      ]
    },
    {
      title = "Age of the oldest message"
      x     = 12
      y     = 12
      stat  = "Maximum"
      metrics = [
        ["AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", "${var.deployment}-first-attempts"],
        ["AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", "${var.deployment}-retries"],
      ]
    },
    {
      title = "API"
      x     = 0
      y     = 18
      stat  = "Sum"
      metrics = [
        ["AWS/ApiGateway", "Count", "ApiId", aws_apigatewayv2_api.main.id],
        ["AWS/ApiGateway", "4xx", "ApiId", aws_apigatewayv2_api.main.id],
        ["AWS/ApiGateway", "5xx", "ApiId", aws_apigatewayv2_api.main.id],
        ["AWS/ApiGateway", "Latency", "ApiId", aws_apigatewayv2_api.main.id, { stat = "p99", yAxis = "right" }],
      ]
    },
    {
      title = "Functions"
      x     = 12
      y     = 18
      stat  = "Sum"
      metrics = [
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-acquire"],
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-confirm"],
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-confirmations"],
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-inbound-sms"],
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-inbound-sns"],
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-dispatcher"],
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-well-known"],
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-qr-session"],
        ["AWS/Lambda", "Errors", "FunctionName", "${var.deployment}-browser-socket"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-acquire"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-confirm"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-confirmations"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-inbound-sms"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-inbound-sns"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-dispatcher"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-well-known"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-qr-session"],
        ["AWS/Lambda", "Throttles", "FunctionName", "${var.deployment}-browser-socket"],
      ]
    },
    {
      title = "Duration of functions"
      x     = 0
      y     = 24
      stat  = "p99"
      metrics = [
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-acquire"],
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-confirm"],
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-confirmations"],
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-inbound-sms"],
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-inbound-sns"],
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-dispatcher"],
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-well-known"],
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-qr-session"],
        ["AWS/Lambda", "Duration", "FunctionName", "${var.deployment}-browser-socket"],
      ]
    },
    {
      title = "Table"
      x     = 12
      y     = 24
      stat  = "Sum"
      metrics = [
        ["AWS/DynamoDB", "ConsumedReadCapacityUnits", "TableName", aws_dynamodb_table.main.name],
        ["AWS/DynamoDB", "ConsumedWriteCapacityUnits", "TableName", aws_dynamodb_table.main.name],
        ["AWS/DynamoDB", "ReadThrottleEvents", "TableName", aws_dynamodb_table.main.name, { yAxis = "right" }],
        ["AWS/DynamoDB", "WriteThrottleEvents", "TableName", aws_dynamodb_table.main.name, { yAxis = "right" }],
      ]
    },
    {
      title = "Logins"
      x     = 0
      y     = 30
      stat  = "Sum"
      metrics = [
        ["Countersign", "qr_created", "Deployment", var.deployment],
        ["Countersign", "qr_scanned", "Deployment", var.deployment],
        ["Countersign", "qr_confirmed", "Deployment", var.deployment],
        ["Countersign", "qr_denied", "Deployment", var.deployment],
        ["Countersign", "qr_redeemed", "Deployment", var.deployment],
        ["Countersign", "qr_cancelled", "Deployment", var.deployment],
      ]
    },
    {
      title = "Logins that were refused, or went wrong"
      x     = 12
      y     = 30
      stat  = "Sum"
      metrics = [
        ["Countersign", "qr_origin_refused", "Deployment", var.deployment],
        ["Countersign", "qr_risk_denied", "Deployment", var.deployment],
        ["Countersign", "qr_forbidden_confirmed", "Deployment", var.deployment],
        ["Countersign", "qr_second_phone", "Deployment", var.deployment],
        ["Countersign", "qr_push_failed", "Deployment", var.deployment],
        ["Countersign", "qr_miss_limited", "Deployment", var.deployment],
        ["Countersign", "qr_opening_limited", "Deployment", var.deployment],
        ["Countersign", "qr_rate_exceeded", "Deployment", var.deployment],
        ["Countersign", "qr_name_limited", "Deployment", var.deployment],
        ["Countersign", "qr_history_failed", "Deployment", var.deployment],
      ]
    },
    {
      title = "Socket"
      x     = 0
      y     = 36
      stat  = "Sum"
      metrics = [
        ["AWS/ApiGateway", "ConnectCount", "ApiId", aws_apigatewayv2_api.socket.id],
        ["AWS/ApiGateway", "MessageCount", "ApiId", aws_apigatewayv2_api.socket.id],
        ["AWS/ApiGateway", "ClientError", "ApiId", aws_apigatewayv2_api.socket.id],
        ["AWS/ApiGateway", "IntegrationError", "ApiId", aws_apigatewayv2_api.socket.id],
        ["AWS/ApiGateway", "ExecutionError", "ApiId", aws_apigatewayv2_api.socket.id],
      ]
    },
    {
      title = "Answers of 500 and above"
      x     = 12
      y     = 36
      stat  = "Sum"
      metrics = [
        ["Countersign", "server_error", "FunctionName", "${var.deployment}-acquire"],
        ["Countersign", "server_error", "FunctionName", "${var.deployment}-confirm"],
        ["Countersign", "server_error", "FunctionName", "${var.deployment}-confirmations"],
        ["Countersign", "server_error", "FunctionName", "${var.deployment}-inbound-sms"],
        ["Countersign", "server_error", "FunctionName", "${var.deployment}-well-known"],
        ["Countersign", "server_error", "FunctionName", "${var.deployment}-qr-session"],
      ]
    },
  ]
}

resource "aws_cloudwatch_dashboard" "main" {
  # Dashboards have no region of their own, so their names carry it.
  dashboard_name = "${var.deployment}-${local.region}"
  dashboard_body = jsonencode({
    widgets = [for widget in local.widgets : {
      type   = "metric"
      x      = widget.x
      y      = widget.y
      width  = 12
      height = 6
      properties = {
        title   = widget.title
        region  = local.region
        view    = "timeSeries"
        stat    = widget.stat
        period  = 60
        metrics = widget.metrics
      }
    }]
  })
}
