# docs/operations.md has a section for each.

locals {
  alarms = {
    "first-attempts-dead" = {
      description = "First attempts could not be handled five times over."
      namespace   = "AWS/SQS"
      metric      = "ApproximateNumberOfMessagesVisible"
      dimensions  = { QueueName = aws_sqs_queue.first_attempts_dead.name }
      statistic   = "Maximum"
      period      = 60
      periods     = 1
      threshold   = 0
      comparison  = "GreaterThanThreshold"
    }
    "retries-dead" = {
      description = "Retries could not be handled five times over."
      namespace   = "AWS/SQS"
      metric      = "ApproximateNumberOfMessagesVisible"
      dimensions  = { QueueName = aws_sqs_queue.retries_dead.name }
      statistic   = "Maximum"
      period      = 60
      periods     = 1
      threshold   = 0
      comparison  = "GreaterThanThreshold"
    }
    "inbound-sns-undelivered" = {
      description = "SNS could not hand texts to the function."
      namespace   = "AWS/SQS"
      metric      = "ApproximateNumberOfMessagesVisible"
      dimensions  = { QueueName = aws_sqs_queue.inbound_sns_undelivered.name }
      statistic   = "Maximum"
      period      = 60
      periods     = 1
      threshold   = 0
      comparison  = "GreaterThanThreshold"
    }
    "inbound-sns-failed" = {
      description = "The function failed on texts from SNS again and again."
      namespace   = "AWS/SQS"
      metric      = "ApproximateNumberOfMessagesVisible"
      dimensions  = { QueueName = aws_sqs_queue.inbound_sns_failed.name }
      statistic   = "Maximum"
      period      = 60
      periods     = 1
      threshold   = 0
      comparison  = "GreaterThanThreshold"
    }
    "first-attempts-age" = {
      description = "First attempts wait for more than a minute."
      namespace   = "AWS/SQS"
      metric      = "ApproximateAgeOfOldestMessage"
      dimensions  = { QueueName = aws_sqs_queue.first_attempts.name }
      statistic   = "Maximum"
      period      = 60
      periods     = 3
      threshold   = 60
      comparison  = "GreaterThanThreshold"
    }
    "retries-age" = {
      description = "Retries wait for half an hour; on purpose they wait for 15 minutes at most."
      namespace   = "AWS/SQS"
      metric      = "ApproximateAgeOfOldestMessage"
      dimensions  = { QueueName = aws_sqs_queue.retries.name }
      statistic   = "Maximum"
      period      = 60
      periods     = 3
      threshold   = 1800
      comparison  = "GreaterThanThreshold"
    }
    "api-errors" = {
      description = "The API answers with 5xx."
      namespace   = "AWS/ApiGateway"
      metric      = "5xx"
      dimensions  = { ApiId = aws_apigatewayv2_api.main.id }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 5
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "socket-errors" = {
      description = "The socket's API cannot call its function."
      namespace   = "AWS/ApiGateway"
      metric      = "ExecutionError"
      dimensions  = { ApiId = aws_apigatewayv2_api.socket.id }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 5
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "table-throttled-reads" = {
      description = "The table is at its cap of read units."
      namespace   = "AWS/DynamoDB"
      metric      = "ReadThrottleEvents"
      dimensions  = { TableName = aws_dynamodb_table.main.name }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "table-throttled-writes" = {
      description = "The table is at its cap of write units."
      namespace   = "AWS/DynamoDB"
      metric      = "WriteThrottleEvents"
      dimensions  = { TableName = aws_dynamodb_table.main.name }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "table-throttled-index-reads" = {
      description = "The index is at its cap of read units."
      namespace   = "AWS/DynamoDB"
      metric      = "ReadThrottleEvents"
      dimensions  = { TableName = aws_dynamodb_table.main.name, GlobalSecondaryIndexName = "due" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "table-throttled-index-writes" = {
      description = "The index is at its cap of write units, which holds up writes to the table."
      namespace   = "AWS/DynamoDB"
      metric      = "WriteThrottleEvents"
      dimensions  = { TableName = aws_dynamodb_table.main.name, GlobalSecondaryIndexName = "due" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-acquire" = {
      description = "The function acquire ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-acquire" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-confirm" = {
      description = "The function confirm ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-confirm" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-confirmations" = {
      description = "The function confirmations ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-confirmations" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-inbound-sms" = {
      description = "The function inbound-sms ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-inbound-sms" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-inbound-sns" = {
      description = "The function inbound-sns ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-inbound-sns" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-dispatcher" = {
      description = "The function dispatcher ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-dispatcher" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-well-known" = {
      description = "The function well-known ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-well-known" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-qr-session" = {
      description = "The function qr-session ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-qr-session" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-errors-browser-socket" = {
      description = "The function browser-socket ends badly or runs out of time."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = "${var.deployment}-browser-socket" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "server-errors-acquire" = {
      description = "The function acquire answers with 5xx."
      namespace   = "Countersign"
      metric      = "server_error"
      dimensions  = { FunctionName = "${var.deployment}-acquire" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "server-errors-confirm" = {
      description = "The function confirm answers with 5xx."
      namespace   = "Countersign"
      metric      = "server_error"
      dimensions  = { FunctionName = "${var.deployment}-confirm" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "server-errors-confirmations" = {
      description = "The function confirmations answers with 5xx."
      namespace   = "Countersign"
      metric      = "server_error"
      dimensions  = { FunctionName = "${var.deployment}-confirmations" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "server-errors-inbound-sms" = {
      description = "The function inbound-sms answers with 5xx."
      namespace   = "Countersign"
      metric      = "server_error"
      dimensions  = { FunctionName = "${var.deployment}-inbound-sms" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "server-errors-well-known" = {
      description = "The function well-known answers with 5xx."
      namespace   = "Countersign"
      metric      = "server_error"
      dimensions  = { FunctionName = "${var.deployment}-well-known" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "server-errors-qr-session" = {
      description = "The function qr-session answers with 5xx."
      namespace   = "Countersign"
      metric      = "server_error"
      dimensions  = { FunctionName = "${var.deployment}-qr-session" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-acquire" = {
      description = "The function acquire is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-acquire" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-confirm" = {
      description = "The function confirm is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-confirm" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-confirmations" = {
      description = "The function confirmations is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-confirmations" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-inbound-sms" = {
      description = "The function inbound-sms is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-inbound-sms" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-inbound-sns" = {
      description = "The function inbound-sns is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-inbound-sns" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-dispatcher" = {
      description = "The function dispatcher is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-dispatcher" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-well-known" = {
      description = "The function well-known is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-well-known" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-qr-session" = {
      description = "The function qr-session is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-qr-session" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "function-throttles-browser-socket" = {
      description = "The function browser-socket is called more often than it may run at once."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = "${var.deployment}-browser-socket" }
      statistic   = "Sum"
      period      = 60
      periods     = 5
      datapoints  = 2
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "attempts-failed-ours" = {
      description = "Webhooks could not be signed or sent, through a fault of ours."
      namespace   = "Countersign"
      metric      = "attempt_failed_ours"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "deliveries-failed" = {
      description = "Deliveries were given up."
      namespace   = "Countersign"
      metric      = "delivery_failed"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "webhooks-late" = {
      description = "One first webhook in a hundred comes more than 15 seconds after its text."
      namespace   = "Countersign"
      metric      = "text_to_webhook"
      dimensions  = { Deployment = var.deployment }
      statistic   = "p99"
      period      = 300
      periods     = 3
      threshold   = 15000
      comparison  = "GreaterThanThreshold"
    }
    "enqueue-failed" = {
      description = "Deliveries could not be put into a queue, and wait for the sweep."
      namespace   = "Countersign"
      metric      = "enqueue_failed"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "deliveries-swept" = {
      description = "The sweep finds more than waits of over 15 minutes account for."
      namespace   = "Countersign"
      metric      = "swept"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 3
      threshold   = 100
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "sweep-not-running" = {
      description = "The sweep is not called each minute."
      namespace   = "AWS/Events"
      metric      = "Invocations"
      dimensions  = { RuleName = aws_cloudwatch_event_rule.sweep.name }
      statistic   = "Sum"
      period      = 300
      periods     = 2
      threshold   = 3
      comparison  = "LessThanThreshold"
      missing     = "breaching"
    }
    "unmatched-texts-unknown" = {
      description = "Texts with codes that do not exist."
      namespace   = "Countersign"
      metric      = "miss_unknown"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = var.unmatched_texts_threshold
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "unmatched-texts-wrong-sender" = {
      description = "Texts with codes that another number ought to have sent."
      namespace   = "Countersign"
      metric      = "miss_wrong_sender"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = var.unmatched_texts_threshold
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "unmatched-texts-refused" = {
      description = "Calls to the route of texts that are not authentic."
      namespace   = "Countersign"
      metric      = "inbound_refused"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = var.unmatched_texts_threshold
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "texts-elsewhere" = {
      description = "Texts to numbers that no app has."
      namespace   = "Countersign"
      metric      = "miss_recipient"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "poisoned-text" = {
      description = "Texts from SNS that cannot be read."
      namespace   = "Countersign"
      metric      = "text_poisoned"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "poisoned-pointer" = {
      description = "Queue messages that cannot be read."
      namespace   = "Countersign"
      metric      = "pointer_poisoned"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = 1
      comparison  = "GreaterThanOrEqualToThreshold"
    }
    "second-phones" = {
      description = "Logins that a second phone opened."
      namespace   = "Countersign"
      metric      = "qr_second_phone"
      dimensions  = { Deployment = var.deployment }
      statistic   = "Sum"
      period      = 300
      periods     = 1
      threshold   = var.second_phones_threshold
      comparison  = "GreaterThanOrEqualToThreshold"
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "main" {
  for_each = local.alarms

  alarm_name          = "${var.deployment}-${each.key}"
  alarm_description   = each.value.description
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
  namespace           = each.value.namespace
  metric_name         = each.value.metric
  dimensions          = each.value.dimensions
  statistic           = startswith(each.value.statistic, "p") ? null : each.value.statistic
  extended_statistic  = startswith(each.value.statistic, "p") ? each.value.statistic : null
  period              = each.value.period
  evaluation_periods  = each.value.periods
  datapoints_to_alarm = try(each.value.datapoints, null)
  threshold           = each.value.threshold
  comparison_operator = each.value.comparison
  treat_missing_data  = try(each.value.missing, "notBreaching")
}

resource "aws_sns_topic" "alarms" {
  name         = "${var.deployment}-alarms"
  display_name = "Countersign alarms"
}

resource "aws_sns_topic_policy" "alarms" {
  arn    = aws_sns_topic.alarms.arn
  policy = data.aws_iam_policy_document.alarm_topic.json
}

data "aws_iam_policy_document" "alarm_topic" {
  statement {
    sid       = "Alarms"
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.alarms.arn]

    principals {
      type        = "Service"
      identifiers = ["cloudwatch.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }
  }

  statement {
    sid       = "OnlyOverTls"
    effect    = "Deny"
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.alarms.arn]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

resource "aws_sns_topic_subscription" "alarms" {
  count = var.alarm_email == "" ? 0 : 1

  topic_arn = aws_sns_topic.alarms.arn
  protocol  = "email"
  endpoint  = var.alarm_email
}
