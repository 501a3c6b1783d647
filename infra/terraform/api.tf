# No CORS configuration: the functions answer OPTIONS themselves.
resource "aws_apigatewayv2_api" "main" {
  name          = var.deployment
  description   = "Countersign"
  protocol_type = "HTTP"
}

resource "aws_apigatewayv2_stage" "default" {
  api_id      = aws_apigatewayv2_api.main.id
  name        = "$default"
  auto_deploy = true

  default_route_settings {
    throttling_rate_limit    = var.api_rate_limit
    throttling_burst_limit   = var.api_burst_limit
    detailed_metrics_enabled = true
  }

  # Anybody with a browser may call these, so a flood of them leaves room for the others.
  dynamic "route_settings" {
    for_each = [for key, function in local.routes : key if strcontains(key, "/qr-sessions")]

    content {
      route_key                = route_settings.value
      throttling_rate_limit    = var.login_rate_limit
      throttling_burst_limit   = var.login_burst_limit
      detailed_metrics_enabled = true
    }
  }

  # Neither path nor query nor headers: the route's pattern says what was called.
  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.api.arn
    format = jsonencode({
      requestId          = "$context.requestId"
      time               = "$context.requestTimeEpoch"
      route              = "$context.routeKey"
      status             = "$context.status"
      bytes              = "$context.responseLength"
      latency            = "$context.responseLatency"
      integrationStatus  = "$context.integration.status"
      integrationLatency = "$context.integrationLatency"
      integrationError   = "$context.integrationErrorMessage"
      sourceIp           = "$context.identity.sourceIp"
    })
  }

  # Settings of a route can be given once it is there.
  depends_on = [aws_apigatewayv2_route.main]
}

resource "aws_cloudwatch_log_group" "api" {
  name              = "/aws/vendedlogs/${var.deployment}-api"
  retention_in_days = var.log_retention_days
}

locals {
  paths = {
    "/acquire-phone-number"        = "acquire"
    "/make-confirmation"           = "confirm"
    "/confirmations/{id}"          = "confirmations"
    "/confirmations/{id}/{action}" = "confirmations"
    "/inbound-sms/{provider}"      = "inbound-sms"
    "/public-key"                  = "well-known"
    "/.well-known/jwks.json"       = "well-known"
    "/openapi.json"                = "well-known"
    "/healthz"                     = "well-known"

    "/qr-sessions"                            = "qr-session"
    "/qr-sessions/{id}"                       = "qr-session"
    "/qr-sessions/{id}/{action}"              = "qr-session"
    "/widget.js"                              = "qr-session"
    "/.well-known/assetlinks.json"            = "qr-session"
    "/.well-known/apple-app-site-association" = "qr-session"
  }

  # Any method: 405 and OPTIONS are the functions' to answer. What no route knows is answered as a
  # problem.
  routes = merge(
    { "$default" = "well-known" },
    # The page for people without the app.
    { "ANY /" = "qr-session" },
    { for path, function in local.paths : "ANY ${path}" => function },
  )
}

resource "aws_apigatewayv2_route" "main" {
  for_each = local.routes

  api_id    = aws_apigatewayv2_api.main.id
  route_key = each.key
  target    = "integrations/${aws_apigatewayv2_integration.main[each.value].id}"
}

resource "aws_apigatewayv2_integration" "main" {
  for_each = toset(values(local.routes))

  api_id                 = aws_apigatewayv2_api.main.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_alias.live[each.key].arn
  payload_format_version = "2.0"
  timeout_milliseconds   = 11000
}

resource "aws_lambda_permission" "api" {
  for_each = toset(values(local.routes))

  function_name = aws_lambda_function.main[each.key].function_name
  qualifier     = aws_lambda_alias.live[each.key].name
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.main.execution_arn}/*"
}

resource "aws_apigatewayv2_domain_name" "main" {
  count = var.domain_name == "" ? 0 : 1

  domain_name = var.domain_name

  domain_name_configuration {
    certificate_arn = var.certificate_arn
    endpoint_type   = "REGIONAL"
    security_policy = "TLS_1_2"
  }
}

resource "aws_apigatewayv2_api_mapping" "main" {
  count = var.domain_name == "" ? 0 : 1

  api_id      = aws_apigatewayv2_api.main.id
  domain_name = aws_apigatewayv2_domain_name.main[0].id
  stage       = aws_apigatewayv2_stage.default.id
}

resource "aws_route53_record" "main" {
  for_each = toset(var.domain_name == "" || var.hosted_zone_id == "" ? [] : ["A", "AAAA"])

  zone_id = var.hosted_zone_id
  name    = var.domain_name
  type    = each.key

  alias {
    name                   = aws_apigatewayv2_domain_name.main[0].domain_name_configuration[0].target_domain_name
    zone_id                = aws_apigatewayv2_domain_name.main[0].domain_name_configuration[0].hosted_zone_id
    evaluate_target_health = false
  }
}
