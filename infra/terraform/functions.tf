# What each function is, is told and may do. The key is its name and its binary's.

locals {
  signing_key_arn = var.signing_key_arn == "" ? aws_kms_key.signing[0].arn : var.signing_key_arn

  # COUNTERSIGN_RELEASE is read by nobody: a new value of a variable is a new version.
  common_environment = {
    COUNTERSIGN_DEPLOYMENT = var.deployment
    COUNTERSIGN_RELEASE    = var.release
  }

  functions = {
    acquire = {
      memory  = 256
      timeout = 10
      environment = {
        COUNTERSIGN_TABLE     = aws_dynamodb_table.main.name
        COUNTERSIGN_VALIDITY  = var.validity
        COUNTERSIGN_RETENTION = var.retention
      }
      permissions = [
        { actions = ["dynamodb:GetItem", "dynamodb:PutItem"], resources = [aws_dynamodb_table.main.arn] },
      ]
    }

    confirm = {
      memory  = 256
      timeout = 10
      environment = {
        COUNTERSIGN_TABLE     = aws_dynamodb_table.main.name
        COUNTERSIGN_VALIDITY  = var.validity
        COUNTERSIGN_RETENTION = var.retention
      }
      permissions = [
        { actions = ["dynamodb:GetItem", "dynamodb:PutItem"], resources = [aws_dynamodb_table.main.arn] },
      ]
    }

    confirmations = {
      memory  = 256
      timeout = 10
      environment = {
        COUNTERSIGN_TABLE                    = aws_dynamodb_table.main.name
        COUNTERSIGN_VALIDITY                 = var.validity
        COUNTERSIGN_RETENTION                = var.retention
        COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL = aws_sqs_queue.first_attempts.url
        COUNTERSIGN_RETRIES_QUEUE_URL        = aws_sqs_queue.retries.url
      }
      permissions = [
        { actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [aws_dynamodb_table.main.arn] },
        {
          actions   = ["sqs:GetQueueAttributes", "sqs:SendMessage"]
          resources = [aws_sqs_queue.first_attempts.arn, aws_sqs_queue.retries.arn]
        },
      ]
    }

    inbound-sms = {
      memory  = 256
      timeout = 10
      environment = {
        COUNTERSIGN_TABLE                    = aws_dynamodb_table.main.name
        COUNTERSIGN_VALIDITY                 = var.validity
        COUNTERSIGN_RETENTION                = var.retention
        COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL = aws_sqs_queue.first_attempts.url
        COUNTERSIGN_INBOUND_SECRETS          = local.inbound_secrets
      }
      permissions = [
        { actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [aws_dynamodb_table.main.arn] },
        { actions = ["sqs:GetQueueAttributes", "sqs:SendMessage"], resources = [aws_sqs_queue.first_attempts.arn] },
        { actions = ["secretsmanager:GetSecretValue"], resources = local.inbound_secret_arns },
        { actions = ["ssm:GetParameter"], resources = local.inbound_parameter_arns },
      ]
    }

    inbound-sns = {
      memory  = 256
      timeout = 30
      environment = {
        COUNTERSIGN_TABLE                    = aws_dynamodb_table.main.name
        COUNTERSIGN_VALIDITY                 = var.validity
        COUNTERSIGN_RETENTION                = var.retention
        COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL = aws_sqs_queue.first_attempts.url
        COUNTERSIGN_INBOUND_TOPIC_ARN        = aws_sns_topic.inbound.arn
      }
      permissions = [
        { actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [aws_dynamodb_table.main.arn] },
        { actions = ["sqs:GetQueueAttributes", "sqs:SendMessage"], resources = [aws_sqs_queue.first_attempts.arn] },
        { actions = ["sqs:SendMessage"], resources = [aws_sqs_queue.inbound_sns_failed.arn] },
      ]
    }

    dispatcher = {
      memory  = 512
      timeout = 60
      environment = {
        COUNTERSIGN_TABLE                    = aws_dynamodb_table.main.name
        COUNTERSIGN_VALIDITY                 = var.validity
        COUNTERSIGN_RETENTION                = var.retention
        COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL = aws_sqs_queue.first_attempts.url
        COUNTERSIGN_RETRIES_QUEUE_URL        = aws_sqs_queue.retries.url
        COUNTERSIGN_SIGNING_KEY_ARN          = local.signing_key_arn
      }
      permissions = [
        { actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [aws_dynamodb_table.main.arn] },
        { actions = ["dynamodb:Query"], resources = ["${aws_dynamodb_table.main.arn}/index/due"] },
        {
          actions   = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:SendMessage"]
          resources = [aws_sqs_queue.first_attempts.arn, aws_sqs_queue.retries.arn]
        },
        { actions = ["kms:Sign"], resources = [local.signing_key_arn], algorithm = "ECDSA_SHA_256" },
        { actions = ["kms:GetPublicKey"], resources = [local.signing_key_arn] },
        # While one key follows another, the old version signs with the former one.
        { actions = ["kms:Sign"], resources = var.published_key_arns, algorithm = "ECDSA_SHA_256" },
        { actions = ["kms:GetPublicKey"], resources = var.published_key_arns },
      ]
    }

    well-known = {
      memory  = 256
      timeout = 10
      environment = {
        COUNTERSIGN_SIGNING_KEY_ARN    = local.signing_key_arn
        COUNTERSIGN_PUBLISHED_KEY_ARNS = join(",", var.published_key_arns)
      }
      permissions = [
        { actions = ["kms:GetPublicKey"], resources = [local.signing_key_arn] },
        { actions = ["kms:GetPublicKey"], resources = var.published_key_arns },
      ]
    }

    qr-session = {
      memory  = 256
      timeout = 10
      environment = {
        COUNTERSIGN_TABLE                    = aws_dynamodb_table.main.name
        COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL = aws_sqs_queue.first_attempts.url
        COUNTERSIGN_SOCKET_URL               = local.socket_url
        COUNTERSIGN_SOCKET_ENDPOINT          = local.socket_endpoint
        COUNTERSIGN_ORIGIN_SECRET            = local.origin_secret
      }
      permissions = [
        {
          actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
          resources = [aws_dynamodb_table.main.arn]
        },
        # Whose a link host is, the list of apps says. No session can be listed.
        { actions = ["dynamodb:Query"], resources = [aws_dynamodb_table.main.arn], partitions = ["APPS"] },
        { actions = ["sqs:GetQueueAttributes", "sqs:SendMessage"], resources = [aws_sqs_queue.first_attempts.arn] },
        # Tells a browser that something changed.
        {
          actions   = ["execute-api:ManageConnections"]
          resources = ["${aws_apigatewayv2_api.socket.execution_arn}/socket/POST/@connections/*"]
        },
        { actions = ["secretsmanager:GetSecretValue"], resources = compact([var.origin_secret_arn]) },
        { actions = ["ssm:GetParameter"], resources = local.origin_parameter_arns },
      ]
    }

    browser-socket = {
      memory  = 256
      timeout = 10
      environment = {
        COUNTERSIGN_TABLE           = aws_dynamodb_table.main.name
        COUNTERSIGN_SOCKET_ENDPOINT = local.socket_endpoint
      }
      permissions = [
        { actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [aws_dynamodb_table.main.arn] },
        # Answers a browser, or closes its connection.
        {
          actions = ["execute-api:ManageConnections"]
          resources = [
            "${aws_apigatewayv2_api.socket.execution_arn}/socket/POST/@connections/*",
            "${aws_apigatewayv2_api.socket.execution_arn}/socket/DELETE/@connections/*",
          ]
        },
      ]
    }
  }
}

resource "aws_lambda_function" "main" {
  for_each = local.functions

  function_name                  = "${var.deployment}-${each.key}"
  role                           = aws_iam_role.main[each.key].arn
  filename                       = "${var.artifacts}/${each.key}/bootstrap.zip"
  source_code_hash               = filebase64sha256("${var.artifacts}/${each.key}/bootstrap.zip")
  handler                        = "bootstrap"
  runtime                        = "provided.al2023"
  architectures                  = [var.architecture]
  memory_size                    = each.value.memory
  timeout                        = each.value.timeout
  publish                        = true
  reserved_concurrent_executions = var.reserved_concurrency == 0 || each.key == "dispatcher" ? -1 : var.reserved_concurrency

  tracing_config {
    mode = "Active"
  }

  logging_config {
    log_format            = "JSON"
    application_log_level = var.log_level
    system_log_level      = "WARN"
    log_group             = aws_cloudwatch_log_group.functions[each.key].name
  }

  environment {
    variables = {
      for name, value in merge(each.value.environment, local.common_environment) :
      name => value if value != null
    }
  }

  depends_on = [aws_iam_role_policy.main]
}

resource "aws_lambda_alias" "live" {
  for_each = local.functions

  name             = "live"
  function_name    = aws_lambda_function.main[each.key].function_name
  function_version = aws_lambda_function.main[each.key].version
}

resource "aws_cloudwatch_log_group" "functions" {
  for_each = local.functions

  name              = "/aws/lambda/${var.deployment}-${each.key}"
  retention_in_days = var.log_retention_days
}

resource "aws_iam_role" "main" {
  for_each = local.functions

  # Roles have no region of their own, so their names carry it.
  name               = "${var.deployment}-${local.region}-${each.key}"
  assume_role_policy = data.aws_iam_policy_document.lambda_assumes.json
}

data "aws_iam_policy_document" "lambda_assumes" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role_policy" "main" {
  for_each = local.functions

  name   = each.key
  role   = aws_iam_role.main[each.key].name
  policy = data.aws_iam_policy_document.functions[each.key].json
}

data "aws_iam_policy_document" "functions" {
  for_each = local.functions

  statement {
    sid       = "Logs"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.functions[each.key].arn}:*"]
  }

  # X-Ray knows no resources.
  statement {
    sid       = "Traces"
    actions   = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]
    resources = ["*"]
  }

  dynamic "statement" {
    for_each = [for permission in each.value.permissions : permission if length(permission.resources) > 0]

    content {
      actions   = statement.value.actions
      resources = statement.value.resources

      dynamic "condition" {
        for_each = compact([try(statement.value.algorithm, "")])

        content {
          test     = "StringEquals"
          variable = "kms:SigningAlgorithm"
          values   = [condition.value]
        }
      }

      dynamic "condition" {
        for_each = [for partitions in [try(statement.value.partitions, [])] : partitions if length(partitions) > 0]

        content {
          test     = "ForAllValues:StringEquals"
          variable = "dynamodb:LeadingKeys"
          values   = condition.value
        }
      }
    }
  }
}
