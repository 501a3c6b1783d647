"""Each comparison finds a difference that is put in, and there is none otherwise."""

import unittest

import terraform
from hcl import Terraform, texts
from model import TEMPLATE, Template

TEXT = TEMPLATE.read_text("utf-8")

# For each comparison: which file, what in it, and what is put there instead.
CHANGED = {
    "resources": [
        ("storage.tf", 'resource "aws_kms_alias" "signing"', 'resource "aws_kms_alias" "other"'),
        ("texts.tf", 'resource "aws_sns_topic_policy"', 'resource "aws_sns_topic_data_protection_policy"'),
    ],
    "variables": [
        ("variables.tf", 'variable "validity"', 'variable "valid_for"'),
        ("variables.tf", 'default     = "5m"', 'default     = "9m"'),
        ("variables.tf", "(s|m|h)$", "(s|m)$"),
        ("variables.tf", '"TOLL_FREE", ', ""),
        ("variables.tf", ">= 2 &&", ">= 3 &&"),
        ("variables.tf", "  default     = 20\n", ""),
        ("variables.tf", 'Empty is the key of this deployment."\n',
         'Empty is the key of this deployment."\n  default     = ""\n'),
        ("variables.tf", 'default     = "Off"', 'default     = "On"'),
    ],
    "functions": [
        ("functions.tf", "    confirm = {", "    confirmed = {"),
        ("functions.tf", "timeout = 60", "timeout = 90"),
        ("functions.tf", "COUNTERSIGN_TABLE ", "COUNTERSIGN_TABEL "),
        ("functions.tf", "QUEUE_URL        = aws_sqs_queue.retries.url",
         "QUEUE_URL        = aws_sqs_queue.first_attempts.url"),
        ("functions.tf", "COUNTERSIGN_DEPLOYMENT = var.deployment", 'COUNTERSIGN_DEPLOYMENT = "prod"'),
        ("functions.tf", "COUNTERSIGN_RELEASE    = var.release", 'COUNTERSIGN_RELEASE    = ""'),
        ("functions.tf", "merge(each.value.environment, local.common_environment)", "each.value.environment"),
        ("functions.tf", "= local.origin_secret\n", '= "origin"\n'),
        ("functions.tf", "= local.socket_url\n", "= aws_apigatewayv2_api.main.api_endpoint\n"),
    ],
    "rights": [
        ("functions.tf", '"dynamodb:PutItem"', '"dynamodb:DeleteItem"'),
        ("functions.tf", 'resources = ["${aws_dynamodb_table.main.arn}/index/due"]', 'resources = ["*"]'),
        ("functions.tf", ', algorithm = "ECDSA_SHA_256"', ""),
        ("functions.tf", "functions[each.key].arn}:*", "functions[each.key].arn}*"),
        ("functions.tf", '"xray:PutTraceSegments"', '"xray:*"'),
        ("functions.tf", "socket/DELETE/@connections/*", "socket/*/@connections/*"),
        ("functions.tf", 'resources = ["${aws_apigatewayv2_api.socket.execution_arn}/socket/POST/@connections/*"]',
         'resources = ["*"]'),
        ("functions.tf", ', partitions = ["APPS"]', ""),
        ("functions.tf", "ForAllValues:StringEquals", "ForAnyValue:StringEquals"),
        ("functions.tf", "dynamodb:LeadingKeys", "dynamodb:Attributes"),
    ],
    "key_policy": [
        ("storage.tf", '      "kms:PutKeyPolicy",\n', '      "kms:Sign",\n'),
        ("storage.tf", '"ArnEquals"', '"ArnLike"'),
    ],
    "routes": [
        ("api.tf", '"/healthz"  ', '"/health"  '),
        ("api.tf", '{ "$default" = "well-known" },', ""),
        ("api.tf", "ANY ${path}", "GET ${path}"),
        ("api.tf", '{ "ANY /" = "qr-session" },', ""),
        ("socket.tf", '"$disconnect", ', ""),
    ],
    "stages": [
        ("api.tf", "throttling_rate_limit    = var.login_rate_limit", "throttling_rate_limit    = var.api_rate_limit"),
        ("api.tf", 'if strcontains(key, "/qr-sessions")', 'if strcontains(key, "/")'),
        ("api.tf", "  depends_on = [aws_apigatewayv2_route.main]\n", ""),
        ("socket.tf", "throttling_burst_limit = var.login_burst_limit", "throttling_burst_limit = 5000"),
        ("socket.tf", "  depends_on = [aws_apigatewayv2_route.socket]\n", ""),
        ("socket.tf", "data_trace_enabled = false", "data_trace_enabled = true"),
        ("socket.tf", 'var.socket_access_logs == "On" ?', 'var.socket_access_logs != "" ?'),
    ],
    "alarms": [
        ("alarms.tf", '"retries-dead" = {', '"retries-dad" = {'),
        ("alarms.tf", "threshold   = 1800", "threshold   = 1900"),
        ("alarms.tf", "var.unmatched_texts_threshold", "20"),
        ("alarms.tf", "aws_sqs_queue.retries_dead.name", "aws_sqs_queue.retries.name"),
        ("alarms.tf", 'missing     = "breaching"', 'missing     = "ignore"'),
        ("alarms.tf", 'metric      = "swept"', 'metric      = "sweeped"'),
    ],
    "dashboards": [("dashboard.tf", '"created"', '"verified"')],
    "settings": [
        ("storage.tf", "deletion_protection_enabled = true", "deletion_protection_enabled = false"),
        ("storage.tf", "KEYS_ONLY", "ALL"),
        ("storage.tf", "prevent_destroy = true", "prevent_destroy = false"),
        ("queues.tf", "visibility_timeout_seconds = 360", "visibility_timeout_seconds = 300"),
        ("queues.tf", "= aws_sqs_queue.retries_dead.arn", "= aws_sqs_queue.first_attempts_dead.arn"),
        ("queues.tf", "maximum_concurrency = var.retries_concurrency",
         "maximum_concurrency = var.first_attempts_concurrency"),
        ("queues.tf", "rate(1 minute)", "rate(2 minutes)"),
        ("socket.tf", '"WEBSOCKET"', '"HTTP"'),
        ("socket.tf", "/socket/*", "/*"),
        ("socket.tf", ".invoke_arn", ".arn"),
    ],
    "outputs": [("outputs.tf", 'output "table_name"', 'output "table"')],
    "every_local_and_variable_is_used": [
        ("api.tf", "var.api_burst_limit", "400"),
        ("api.tf", "var.domain_name", "var.domain"),
        ("api.tf", "aws_cloudwatch_log_group.api.arn", "aws_cloudwatch_log_group.http.arn"),
    ],
}


class Comparisons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.template = Template(TEXT)

    def test_both_are_the_same(self):
        self.assertEqual(terraform.findings(Terraform(texts()), self.template), [])

    def test_every_comparison_is_tried(self):
        self.assertEqual({rule.__name__ for rule in terraform.RULES}, set(CHANGED))

    def test_each_comparison_finds_a_difference(self):
        rules = {rule.__name__: rule for rule in terraform.RULES}
        for name, changes in CHANGED.items():
            for file, old, new in changes:
                with self.subTest(name, change=new):
                    files = texts()
                    self.assertIn(old, files[file])
                    files[file] = files[file].replace(old, new, 1)
                    changed = Terraform(files)
                    self.assertTrue(list(rules[name](changed, self.template)), "found nothing")


if __name__ == "__main__":
    unittest.main()
