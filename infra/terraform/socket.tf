# Browsers watch their logins over it. It has no session of its own: a browser's first message proves
# whose login it watches, and what is sent back is only that something changed.
resource "aws_apigatewayv2_api" "socket" {
  name                       = "${var.deployment}-socket"
  description                = "Tells browsers that their login has changed"
  protocol_type              = "WEBSOCKET"
  route_selection_expression = "$request.body.action"
}

locals {
  socket_url      = "${aws_apigatewayv2_api.socket.api_endpoint}/socket"
  socket_endpoint = replace(local.socket_url, "wss://", "https://")

  origin_parameter_arns = [
    for name in compact([var.origin_parameter_name]) :
    "arn:${local.partition}:ssm:${local.region}:${local.account}:parameter${name}"
  ]
  origin_secrets = compact([
    var.origin_parameter_name == "" ? "" : "ssm:${var.origin_parameter_name}",
    var.origin_secret_arn == "" ? "" : "secretsmanager:${var.origin_secret_arn}",
  ])
  origin_secret = one(local.origin_secrets)

  socket_routes = toset(["$connect", "$disconnect", "$default"])
}

resource "aws_apigatewayv2_stage" "socket" {
  api_id      = aws_apigatewayv2_api.socket.id
  name        = "socket"
  auto_deploy = true

  default_route_settings {
    throttling_rate_limit  = var.login_rate_limit
    throttling_burst_limit = var.login_burst_limit
    # Messages hold tokens.
    data_trace_enabled = false
  }

  dynamic "access_log_settings" {
    for_each = var.socket_access_logs == "On" ? [aws_cloudwatch_log_group.socket.arn] : []

    content {
      destination_arn = access_log_settings.value
      format = jsonencode({
        requestId          = "$context.requestId"
        time               = "$context.requestTimeEpoch"
        route              = "$context.routeKey"
        event              = "$context.eventType"
        status             = "$context.status"
        integrationStatus  = "$context.integration.status"
        integrationLatency = "$context.integrationLatency"
        integrationError   = "$context.integrationErrorMessage"
        sourceIp           = "$context.identity.sourceIp"
      })
    }
  }

  # Without a route it cannot be deployed.
  depends_on = [aws_apigatewayv2_route.socket]
}

resource "aws_cloudwatch_log_group" "socket" {
  name              = "/aws/vendedlogs/${var.deployment}-socket"
  retention_in_days = var.log_retention_days
}

resource "aws_apigatewayv2_route" "socket" {
  for_each = local.socket_routes

  api_id    = aws_apigatewayv2_api.socket.id
  route_key = each.key
  target    = "integrations/${aws_apigatewayv2_integration.socket.id}"
}

# WebSocket APIs know payload 1.0 alone, and a function by the path that calls it.
resource "aws_apigatewayv2_integration" "socket" {
  api_id               = aws_apigatewayv2_api.socket.id
  integration_type     = "AWS_PROXY"
  integration_method   = "POST"
  integration_uri      = aws_lambda_alias.live["browser-socket"].invoke_arn
  timeout_milliseconds = 11000
}

resource "aws_lambda_permission" "socket" {
  function_name = aws_lambda_function.main["browser-socket"].function_name
  qualifier     = aws_lambda_alias.live["browser-socket"].name
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.socket.execution_arn}/socket/*"
}
