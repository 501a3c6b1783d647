# First attempts and retries apart, so that retries cannot crowd out first attempts.
resource "aws_sqs_queue" "first_attempts" {
  name                       = "${var.deployment}-first-attempts"
  visibility_timeout_seconds = 360
  sqs_managed_sse_enabled    = true

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.first_attempts_dead.arn
    maxReceiveCount     = 5
  })
}

resource "aws_sqs_queue" "first_attempts_dead" {
  name                      = "${var.deployment}-first-attempts-dead"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_redrive_allow_policy" "first_attempts_dead" {
  queue_url = aws_sqs_queue.first_attempts_dead.url
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [aws_sqs_queue.first_attempts.arn]
  })
}

resource "aws_sqs_queue" "retries" {
  name                       = "${var.deployment}-retries"
  visibility_timeout_seconds = 360
  sqs_managed_sse_enabled    = true

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.retries_dead.arn
    maxReceiveCount     = 5
  })
}

resource "aws_sqs_queue" "retries_dead" {
  name                      = "${var.deployment}-retries-dead"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_redrive_allow_policy" "retries_dead" {
  queue_url = aws_sqs_queue.retries_dead.url
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [aws_sqs_queue.retries.arn]
  })
}

# Texts that SNS could not hand to the function.
resource "aws_sqs_queue" "inbound_sns_undelivered" {
  name                      = "${var.deployment}-inbound-sns-undelivered"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
}

# Texts that the function could not deal with, after Lambda's retries.
resource "aws_sqs_queue" "inbound_sns_failed" {
  name                      = "${var.deployment}-inbound-sns-failed"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_redrive_allow_policy" "inbound_sns_undelivered" {
  queue_url            = aws_sqs_queue.inbound_sns_undelivered.url
  redrive_allow_policy = jsonencode({ redrivePermission = "denyAll" })
}

resource "aws_sqs_queue_redrive_allow_policy" "inbound_sns_failed" {
  queue_url            = aws_sqs_queue.inbound_sns_failed.url
  redrive_allow_policy = jsonencode({ redrivePermission = "denyAll" })
}

locals {
  queues = {
    first_attempts          = aws_sqs_queue.first_attempts
    first_attempts_dead     = aws_sqs_queue.first_attempts_dead
    retries                 = aws_sqs_queue.retries
    retries_dead            = aws_sqs_queue.retries_dead
    inbound_sns_undelivered = aws_sqs_queue.inbound_sns_undelivered
    inbound_sns_failed      = aws_sqs_queue.inbound_sns_failed
  }
}

resource "aws_sqs_queue_policy" "main" {
  for_each = local.queues

  queue_url = each.value.url
  policy    = data.aws_iam_policy_document.queues[each.key].json
}

data "aws_iam_policy_document" "queues" {
  for_each = local.queues

  statement {
    sid       = "OnlyOverTls"
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [each.value.arn]

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

  # Without it SNS drops what it cannot deliver, and says nothing.
  dynamic "statement" {
    for_each = each.key == "inbound_sns_undelivered" ? [aws_sns_topic.inbound.arn] : []

    content {
      sid       = "InboundTopic"
      actions   = ["sqs:SendMessage"]
      resources = [each.value.arn]

      principals {
        type        = "Service"
        identifiers = ["sns.amazonaws.com"]
      }

      condition {
        test     = "ArnEquals"
        variable = "aws:SourceArn"
        values   = [statement.value]
      }
    }
  }
}

resource "aws_lambda_event_source_mapping" "first_attempts" {
  function_name           = aws_lambda_alias.live["dispatcher"].arn
  event_source_arn        = aws_sqs_queue.first_attempts.arn
  batch_size              = 10
  function_response_types = ["ReportBatchItemFailures"]

  scaling_config {
    maximum_concurrency = var.first_attempts_concurrency
  }
}

resource "aws_lambda_event_source_mapping" "retries" {
  function_name           = aws_lambda_alias.live["dispatcher"].arn
  event_source_arn        = aws_sqs_queue.retries.arn
  batch_size              = 10
  function_response_types = ["ReportBatchItemFailures"]

  scaling_config {
    maximum_concurrency = var.retries_concurrency
  }
}

# Has the dispatcher look for deliveries that are due and in no queue.
resource "aws_cloudwatch_event_rule" "sweep" {
  name                = "${var.deployment}-sweep"
  schedule_expression = "rate(1 minute)"
  state               = "ENABLED"
}

resource "aws_cloudwatch_event_target" "sweep" {
  rule  = aws_cloudwatch_event_rule.sweep.name
  arn   = aws_lambda_alias.live["dispatcher"].arn
  input = "{\"sweep\":true}"

  retry_policy {
    maximum_retry_attempts       = 0
    maximum_event_age_in_seconds = 60
  }
}

resource "aws_lambda_permission" "sweep" {
  function_name = aws_lambda_function.main["dispatcher"].function_name
  qualifier     = aws_lambda_alias.live["dispatcher"].name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.sweep.arn
}

# The next sweep makes up for a lost one.
resource "aws_lambda_function_event_invoke_config" "dispatcher" {
  function_name                = aws_lambda_function.main["dispatcher"].function_name
  qualifier                    = aws_lambda_alias.live["dispatcher"].name
  maximum_event_age_in_seconds = 60
  maximum_retry_attempts       = 0
}
