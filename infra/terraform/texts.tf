# Not encrypted with a key of KMS: see the comment in ../template.yaml.
resource "aws_sns_topic" "inbound" {
  name         = "${var.deployment}-inbound"
  display_name = "Texts from AWS End User Messaging"
}

resource "aws_sns_topic_policy" "inbound" {
  arn    = aws_sns_topic.inbound.arn
  policy = data.aws_iam_policy_document.inbound_topic.json
}

data "aws_iam_policy_document" "inbound_topic" {
  statement {
    sid       = "EndUserMessaging"
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.inbound.arn]

    principals {
      type        = "Service"
      identifiers = ["sms-voice.amazonaws.com"]
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
    resources = [aws_sns_topic.inbound.arn]

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

resource "aws_sns_topic_subscription" "inbound" {
  topic_arn      = aws_sns_topic.inbound.arn
  protocol       = "lambda"
  endpoint       = aws_lambda_alias.live["inbound-sns"].arn
  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.inbound_sns_undelivered.arn })

  depends_on = [aws_lambda_permission.inbound, aws_sqs_queue_policy.main]
}

resource "aws_lambda_permission" "inbound" {
  function_name = aws_lambda_function.main["inbound-sns"].function_name
  qualifier     = aws_lambda_alias.live["inbound-sns"].name
  action        = "lambda:InvokeFunction"
  principal     = "sns.amazonaws.com"
  source_arn    = aws_sns_topic.inbound.arn
}

# A text that comes after its code has run out changes nothing.
resource "aws_lambda_function_event_invoke_config" "inbound_sns" {
  function_name                = aws_lambda_function.main["inbound-sns"].function_name
  qualifier                    = aws_lambda_alias.live["inbound-sns"].name
  maximum_event_age_in_seconds = 3600
  maximum_retry_attempts       = 2

  destination_config {
    on_failure {
      destination = aws_sqs_queue.inbound_sns_failed.arn
    }
  }
}

locals {
  own_inbound_secret = var.inbound_secret_arn == "" && var.inbound_parameter_name == ""

  inbound_secret_arns = compact([
    local.own_inbound_secret ? aws_secretsmanager_secret.inbound[0].arn : var.inbound_secret_arn,
  ])
  inbound_parameter_arns = [
    for name in compact([var.inbound_parameter_name]) :
    "arn:${local.partition}:ssm:${local.region}:${local.account}:parameter${name}"
  ]
  inbound_secrets = var.inbound_parameter_name == "" ? "secretsmanager:${local.inbound_secret_arns[0]}" : "ssm:${var.inbound_parameter_name}"
}

resource "aws_secretsmanager_secret" "inbound" {
  count = local.own_inbound_secret ? 1 : 0

  name_prefix = "${var.deployment}-inbound-"
  description = "Secrets of the texts that ${var.deployment} takes over HTTP, by provider"
}

# Forty-four characters of base 64, 33 bytes. It stands in no state file.
ephemeral "aws_secretsmanager_random_password" "inbound" {
  password_length     = 44
  exclude_punctuation = true
}

resource "aws_secretsmanager_secret_version" "inbound" {
  count = local.own_inbound_secret ? 1 : 0

  secret_id = aws_secretsmanager_secret.inbound[0].id
  secret_string_wo = jsonencode({
    generic = ephemeral.aws_secretsmanager_random_password.inbound.random_password
  })
  # Written once; later versions are an operator's.
  secret_string_wo_version = 1
}

resource "aws_pinpointsmsvoicev2_phone_number" "own" {
  count = var.phone_number_country == "" ? 0 : 1

  iso_country_code            = var.phone_number_country
  message_type                = "TRANSACTIONAL"
  number_capabilities         = ["SMS"]
  number_type                 = var.phone_number_type
  deletion_protection_enabled = true
  two_way_channel_enabled     = true
  two_way_channel_arn         = aws_sns_topic.inbound.arn

  lifecycle {
    prevent_destroy = true
  }

  depends_on = [aws_sns_topic_policy.inbound]
}

locals {
  sender = var.sender != "" ? var.sender : try(aws_pinpointsmsvoicev2_phone_number.own[0].phone_number, "")
}
