"""Tests that the template passes every rule, and that each rule finds edits that break it."""

import unittest

import check
from model import ENVIRONMENTS, OPERATIONS, RULES, TEMPLATE, Template, module_text, without_loops
from writer import document

# Without loops, so that an edit breaks a single resource.
TEXT = document(without_loops(TEMPLATE.read_text("utf-8")))


def after(anchor, old, new):
    """Returns an edit that replaces the first `old` after `anchor`."""

    def edit(text):
        start = text.index(anchor)
        at = text.index(old, start)
        return text[:at] + new + text[at + len(old) :]

    return edit


def without(logical):
    """Returns an edit that removes a resource."""

    def edit(text):
        start = text.index(f"\n  {logical}:\n")
        end = text.find("\n\n", start + 1)
        return text[:start] + text[end:]

    return edit


def instead(old, new):
    """Returns an edit that replaces the first `old` among the resources."""
    return after("Resources:", old, new)


TLS = '''          - Sid: OnlyOverTls
            Effect: Deny'''
ALLOW = TLS.replace("Deny", "Allow")

# Edits of the template that a rule must find, by rule.
BROKEN = {
    "every_function_exists": [after("AcquireFunction:", "Binary: acquire", "Binary: other")],
    "functions_have_runtime_settings": [
        after("Globals:", "provided.al2023", "provided.al2"),
        after("Globals:", "[!Ref Architecture]", "[arm64]"),
        after("Globals:", "    MemorySize: 256\n", ""),
        after("Globals:", "    Timeout: 10\n", ""),
        after("Globals:", "Timeout: 10", "Timeout: 29"),
        after("BrowserSocketFunction:", "    Properties:\n", "    Properties:\n      Timeout: 29\n"),
        after("Globals:", "    Tracing: Active\n", ""),
    ],
    "variables_match_the_contract": [
        instead("COUNTERSIGN_TABLE:", "COUNTERSIGN_TABEL:"),
        instead("COUNTERSIGN_RETRIES_QUEUE_URL: !Ref RetriesQueue",
                "COUNTERSIGN_RETRIES_QUEUE_URL: !Ref FirstAttemptsQueue"),
        after("Globals:", "COUNTERSIGN_DEPLOYMENT: !Ref AWS::StackName", "COUNTERSIGN_DEPLOYMENT: prod"),
        after("WellKnownFunction:", "COUNTERSIGN_PUBLISHED_KEY_ARNS: ", "COUNTERSIGN_TABLE: "),
        after("QrSessionFunction:", "COUNTERSIGN_SOCKET_URL: !Sub wss://${SocketApi}",
              "COUNTERSIGN_SOCKET_URL: !Sub wss://${HttpApi}"),
        after("BrowserSocketFunction:", "COUNTERSIGN_SOCKET_ENDPOINT:", "COUNTERSIGN_SOCKET_URL:"),
    ],
    "logs_are_json_and_expire": [
        after("Globals:", "LogFormat: JSON", "LogFormat: Text"),
        instead("LogGroup: !Ref ConfirmLogs", "LogGroup: !Ref AcquireLogs"),
        after("  ConfirmLogs:", "      RetentionInDays: !Ref LogRetentionDays\n", ""),
        after("Parameters:", "[TRACE, DEBUG, INFO]", "[DEBUG, INFO, WARN]"),
    ],
    "reserved_concurrency_is_optional": [
        after("Globals:", "[HasReservedConcurrency", "[HasDomain"),
        after("DispatcherFunction:", "ReservedConcurrentExecutions: !Ref AWS::NoValue",
              "ReservedConcurrentExecutions: !If [HasReservedConcurrency, 5, 9]"),
        after("  ReservedConcurrency:\n", "Default: 0", "Default: 5"),
    ],
    "callers_reach_the_alias": [
        after("Globals:", "    AutoPublishAlias: live\n", ""),
        after("AcquireApiPermission:", "AcquireFunctionAliaslive", "AcquireFunction"),
        after("DispatcherRetries:", "!Ref DispatcherFunction.Alias", "!Ref DispatcherFunction"),
        after("AcquireIntegration:", "!Ref AcquireFunctionAliaslive", "!GetAtt AcquireFunction.Arn"),
    ],
    "changed_configuration_publishes_a_version": [
        after("Globals:", "    AutoPublishAliasAllProperties: true\n", ""),
    ],
    "rollback_alarms_have_no_circular_dependency": [
        after("ConfirmFunction:", "!Ref ConfirmErrorsAlarm", "!Ref ApiErrorsAlarm"),
        after("  ConfirmErrorsAlarm:", "!Sub ${AWS::StackName}-confirm\n", "!Ref ConfirmFunction\n"),
        after("ConfirmFunction:", "[!Ref ConfirmErrorsAlarm, !Ref ConfirmServerErrorsAlarm]", "[]"),
        after("  ConfirmServerErrorsAlarm:", "!Sub ${AWS::StackName}-confirm\n", "!Ref HttpApi\n"),
    ],
    "rollbacks_watch_errors_of_the_function": [
        # The alarm of another function, no alarm, the alarm of the whole API, and an alarm for throttles.
        after("ConfirmFunction:", "!Ref ConfirmServerErrorsAlarm", "!Ref AcquireServerErrorsAlarm"),
        after("WellKnownFunction:", ", !Ref WellKnownServerErrorsAlarm", ""),
        after("QrSessionFunction:", "!Ref QrSessionServerErrorsAlarm", "!Ref ApiErrorsAlarm"),
        after("BrowserSocketFunction:", "!Ref BrowserSocketErrorsAlarm", "!Ref BrowserSocketThrottlesAlarm"),
    ],
    "failed_asynchronous_events_are_kept": [
        after("InboundSnsFunction:", "Destination: !GetAtt InboundSnsFailedQueue.Arn",
              "Destination: !GetAtt RetriesDeadQueue.Arn"),
        after("DispatcherFunction:", "MaximumRetryAttempts: 0", "MaximumRetryAttempts: 2"),
        after("Sid: WhatFailed", "InboundSnsFailedQueue", "RetriesDeadQueue"),
    ],
    "every_function_has_its_own_role": [
        after("ConfirmFunction:", "!GetAtt ConfirmRole.Arn", "!GetAtt AcquireRole.Arn"),
    ],
    "roles_match_the_contract": [
        after("AcquireRole:", "dynamodb:PutItem", "dynamodb:DeleteItem"),
        after("ConfirmationsRole:", ", sqs:SendMessage", ""),
        after("WellKnownRole:", "[kms:GetPublicKey]", "[kms:GetPublicKey, kms:Verify]"),
        after("AcquireRole:", "Resource: !GetAtt AcquireLogs.Arn", "Resource: !GetAtt ConfirmLogs.Arn"),
        after("BrowserSocketRole:", "[dynamodb:UpdateItem]", "[dynamodb:GetItem]"),
        # Connections of any API, with any method, with another method, and of every stage.
        after("QrSessionRole:", "${SocketApi}/socket/POST/@connections/*", "*/socket/POST/@connections/*"),
        after("QrSessionRole:", "/POST/@connections/*", "/*/@connections/*"),
        after("QrSessionRole:", "/POST/@connections/*", "/GET/@connections/*"),
        after("QrSessionRole:", "${SocketApi}/socket/POST/@connections/*", "${SocketApi}/*"),
        after("BrowserSocketRole:", "/DELETE/@connections/*", "/POST/@connections/*"),
    ],
    "items_match_the_contract": [
        # Another function that writes association keys, one that need not read them, one that may not, and
        # functions that may reach every item.
        after("QrSessionRole:", '["QR#*", "SEEN#*", "USER#*"]', '["QR#*", "SEEN#*", "USER#*", "AKEY#*"]'),
        after("BrowserSocketRole:", '[PROFILE, "QR#*"]', '[PROFILE, "QR#*", "AKEY#*"]'),
        after("QrSessionRole:", ', "AKEY#*"', ""),
        after("AssociationKeysRole:", 'dynamodb:LeadingKeys: ["AKEY#*", "AOWNER#*"]', 'dynamodb:LeadingKeys: ["*"]'),
        after("DispatcherRole:", "ForAllValues:StringLike", "ForAnyValue:StringLike"),
        after("AcquireRole:", "                Condition:\n                  ForAllValues:StringLike:\n", "                X:\n                  Y:\n"),
    ],
    "queries_are_limited_to_the_apps": [
        after("Sid: Apps", "dynamodb:LeadingKeys: [APPS]", "dynamodb:LeadingKeys: [APPS, QR]"),
        after("Sid: Apps", "ForAllValues:StringEquals", "ForAnyValue:StringLike"),
        after("QrSessionRole:", "dynamodb:PutItem", "dynamodb:Query"),
        after("AcquireRole:", "dynamodb:LeadingKeys: [APPS]", "dynamodb:LeadingKeys: [APPS, CFM]"),
    ],
    "permissions_have_no_wildcards": [
        after("AcquireRole:", "dynamodb:PutItem", "dynamodb:*"),
        after("AcquireRole:", "Resource: !GetAtt Table.Arn", 'Resource: "*"'),
        after("Sid: Push", "Resource: !Sub arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${SocketApi}/socket/POST/@connections/*",
              'Resource: "*"'),
        after("AcquireRole:", "      Policies:", "      ManagedPolicyArns: [x]\n      Policies:"),
        after("DeploymentRole:", "Resource: !Sub arn:${AWS::Partition}:cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:*",
              'Resource: "*"'),
    ],
    "roles_are_assumed_by_one_service": [
        after("AcquireRole:", "Service: lambda.amazonaws.com", 'AWS: "*"'),
    ],
    "only_the_dispatcher_signs": [
        after("WellKnownRole:", "[kms:GetPublicKey]", "[kms:Sign]"),
        after("DispatcherRole:", "ECDSA_SHA_256", "ECDSA_SHA_384"),
        after("  SigningKey:", "- kms:CancelKeyDeletion", "- kms:Sign"),
        after("  SigningKey:", "- kms:CancelKeyDeletion", '- "kms:*"'),
        after("DispatcherSigns", "-dispatcher", "-*"),
        after("DispatcherSigns", "ECDSA_SHA_256", "ECDSA_SHA_384"),
    ],
    "every_caller_is_limited_to_one_source": [
        after("AcquireApiPermission:", ":${HttpApi}/*", ":*"),
        after("InboundSnsPermission:", "      SourceArn: !Ref InboundTopic\n", ""),
        after("AcquireIntegration:", "!Ref AcquireFunctionAliaslive", "!Ref InboundSnsFunction.Alias"),
        after("BrowserSocketApiPermission:", "${SocketApi}/socket/*", "${HttpApi}/*"),
        after("QrSessionApiPermission:", "${HttpApi}/*", "${SocketApi}/*"),
        without("BrowserSocketApiPermission"),
    ],
    "irreplaceable_resources_are_retained": [
        after("  Table:", "DeletionPolicy: Retain", "DeletionPolicy: Delete"),
        after("  SigningKey:", "    UpdateReplacePolicy: Retain\n", ""),
        after("  OwnNumber:", "    DeletionPolicy: Retain\n", ""),
    ],
    "table_is_protected": [
        instead("DeletionProtectionEnabled: true", "DeletionProtectionEnabled: false"),
        instead("PointInTimeRecoveryEnabled: true", "PointInTimeRecoveryEnabled: false"),
        instead("SSEEnabled: true", "SSEEnabled: false"),
    ],
    "table_has_a_throughput_limit": [
        instead("BillingMode: PAY_PER_REQUEST", "BillingMode: PROVISIONED"),
        after("- IndexName: due", "MaxWriteRequestUnits: !Ref MaxWriteRequestUnits",
              "MaxWriteRequestUnits: 1"),
    ],
    "items_expire_by_ttl": [instead("AttributeName: ttl", "AttributeName: expires")],
    "table_keys_match_the_store": [
        after("      KeySchema:", "AttributeName: sk", "AttributeName: due_at"),
        after("- IndexName: due", "AttributeName: due_shard", "AttributeName: pk"),
        instead("ProjectionType: KEYS_ONLY", "ProjectionType: ALL"),
        instead("IndexName: due", "IndexName: owed"),
    ],
    "table_tags_hold_what_the_command_reads": [
        instead("Key: countersign:prefix", "Key: prefix"),
        instead("Key: countersign:providers", "Key: providers"),
        instead("      Tags:\n", "      Tags:\n        - { Key: countersign:sender, Value: x }\n"),
        after("Key: countersign:providers", "secretsmanager:${InboundSecrets.Id}", "${InboundSecrets.Id}"),
        after("Key: countersign:public-url", "https://${DomainName}", "https://www.${DomainName}"),
        after("Key: countersign:inbound-topic", "!Ref InboundTopic", "!Ref AlarmTopic"),
    ],
    "key_can_only_sign": [
        instead("KeySpec: ECC_NIST_P256", "KeySpec: ECC_NIST_P384"),
        instead("PendingWindowInDays: 30", "EnableKeyRotation: true"),
        instead("              - kms:PutKeyPolicy\n", ""),
    ],
    "secret_has_no_value_of_the_template": [
        after("  InboundSecrets:", "      Description:", "      SecretString: '{}'\n      Description:"),
        after("  InboundSecrets:", "      Description:", "      GenerateSecretString: {}\n      Description:"),
    ],
    "every_queue_exists": [without("InboundSnsFailedQueue"), instead("  RetriesDeadQueue:", "  X:")],
    "messages_stay_hidden_for_six_timeouts": [
        after("  RetriesQueue:", "VisibilityTimeout: 360", "VisibilityTimeout: 300"),
        after("DispatcherFunction:", "Timeout: 60", "Timeout: 90"),
    ],
    "batches_fail_in_part_and_are_bounded": [
        instead("      FunctionResponseTypes: [ReportBatchItemFailures]\n", ""),
        instead("MaximumConcurrency: !Ref RetriesConcurrency", "MaximumConcurrency: !Ref FirstAttemptsConcurrency"),
        instead("      ScalingConfig:\n        MaximumConcurrency: !Ref RetriesConcurrency\n", ""),
        after("DispatcherRetries:", "!GetAtt RetriesQueue.Arn", "!GetAtt FirstAttemptsQueue.Arn"),
        instead("BatchSize: 10", "BatchSize: 1000"),
    ],
    "failed_messages_are_kept_for_two_weeks": [
        after("  RetriesDeadQueue:", "1209600", "345600"),
        after("  RetriesQueue:", "RetriesDeadQueue.Arn", "FirstAttemptsDeadQueue.Arn"),
        after("  RetriesQueue:", "maxReceiveCount: 5", "maxReceiveCount: 1"),
        after("  RetriesDeadQueue:", "      RedriveAllowPolicy:\n        redrivePermission: byQueue\n",
              "      RedriveAllowPolicy:\n"),
    ],
    "queues_are_encrypted_and_require_tls": [
        instead("SqsManagedSseEnabled: true", "SqsManagedSseEnabled: false"),
        after("  RetriesQueuePolicy:", TLS, ALLOW),
        without("InboundSnsFailedQueuePolicy"),
        after("  RetriesQueuePolicy:", "!GetAtt RetriesQueue.Arn", "!GetAtt RetriesDeadQueue.Arn"),
    ],
    "subscriptions_have_a_dead_letter_queue": [
        after("InboundSnsSubscription:", "      RedrivePolicy:\n", "      DeliveryPolicy:\n"),
        after("- Sid: InboundTopic", "sns.amazonaws.com", "sqs.amazonaws.com"),
        after("- Sid: InboundTopic", "aws:SourceArn: !Ref InboundTopic", "aws:SourceArn: !Ref AlarmTopic"),
    ],
    "topics_accept_one_service_over_tls": [
        instead("sms-voice.amazonaws.com", "sns.amazonaws.com"),
        after("EndUserMessaging", "aws:SourceAccount", "aws:SourceOwner"),
        after("InboundTopicPolicy:", TLS, ALLOW),
        after("  InboundTopic:", "TopicName:", "FifoTopic: true\n      TopicName:"),
    ],
    "sweep_runs_every_minute": [
        instead("rate(1 minute)", "rate(1 hour)"),
        instead("State: ENABLED", "State: DISABLED"),
        instead('{"sweep":true}', '{"sweep":1}'),
        after("SweepRule:", "!Ref DispatcherFunction.Alias", "!GetAtt DispatcherFunction.Arn"),
    ],
    "every_route_exists": [
        without("DefaultRoute"),
        without("ConfirmRoute"),
        after("DefaultRoute:", "WellKnownIntegration", "ConfirmIntegration"),
        instead("ANY /healthz", "ANY /health"),
        without("LandingRoute"),
        without("SocketDisconnectRoute"),
        after("SocketConnectRoute:", "RouteKey: $connect", "RouteKey: connect"),
        after("SocketConnectRoute:", "BrowserSocketIntegration", "QrSessionIntegration"),
        after("WidgetRoute:", "ApiId: !Ref HttpApi", "ApiId: !Ref SocketApi"),
    ],
    "functions_answer_cors_preflights": [
        instead("ProtocolType: HTTP", "ProtocolType: HTTP\n      CorsConfiguration: {}"),
        instead("ProtocolType: HTTP", "ProtocolType: HTTP\n      Body: {}"),
        instead("ProtocolType: HTTP", "ProtocolType: WEBSOCKET"),
        instead("ProtocolType: WEBSOCKET", "ProtocolType: HTTP"),
        after("  BrowserSocketApiPermission:", "  BrowserSocketIntegration:\n",
              "  OtherApi:\n    Type: AWS::ApiGatewayV2::Api\n    Properties: { ProtocolType: HTTP }\n\n  BrowserSocketIntegration:\n"),
    ],
    "integrations_use_the_right_payload_version": [
        instead('PayloadFormatVersion: "2.0"', 'PayloadFormatVersion: "1.0"'),
        after("  BrowserSocketIntegration:", "AWS_PROXY", "AWS_PROXY\n      PayloadFormatVersion: '2.0'"),
        after("  BrowserSocketIntegration:", "IntegrationType: AWS_PROXY", "IntegrationType: MOCK"),
        after("  BrowserSocketIntegration:", "!Sub arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${BrowserSocketFunction.Alias}/invocations",
              "!Ref BrowserSocketFunction.Alias"),
    ],
    "stages_throttle_and_log": [
        after("  SocketApiStage:", "        ThrottlingRateLimit: !Ref LoginRateLimit\n", ""),
        after("  SocketApiStage:", "        ThrottlingBurstLimit: !Ref LoginBurstLimit\n", ""),
        after("  SocketApiStage:", "DataTraceEnabled: false", "DataTraceEnabled: true"),
        after("  SocketApiStage:", "DataTraceEnabled: false", "LoggingLevel: INFO"),
        after("  SocketApiStage:", "StageName: socket", "StageName: prod"),
        after("  SocketApiStage:", "AutoDeploy: true", "AutoDeploy: false"),
        after("  SocketApiStage:", "$context.eventType", "$context.authorizer.principalId"),
        after("  SocketApiStage:", "!GetAtt SocketApiLogs.Arn", "x"),
        after("  SocketApiStage:", "ApiId: !Ref SocketApi", "ApiId: !Ref HttpApi"),
        instead("StageName: $default", "StageName: prod"),
        instead("        ThrottlingRateLimit: !Ref ApiRateLimit\n", ""),
        instead("DestinationArn: !GetAtt HttpApiLogs.Arn", "DestinationArn: x"),
        instead("$context.routeKey", "$context.path"),
    ],
    "socket_access_log_is_optional": [
        after("  SocketApiStage:", "- HasSocketAccessLogs", "- HasDomain"),
        after("  SocketAccessLogs:", 'Default: "Off"', 'Default: "On"'),
    ],
    "public_routes_have_their_own_throttle": [
        instead("        ANY /qr-sessions/{id}:\n", "        ANY /healthz:\n"),
        after("      RouteSettings:\n", "ThrottlingRateLimit: !Ref LoginRateLimit", "ThrottlingRateLimit: !Ref ApiRateLimit"),
        after("      RouteSettings:\n", "          ThrottlingBurstLimit: !Ref LoginBurstLimit\n", ""),
        after("  HttpApiStage:", ", QrSessionActionRoute", ""),
    ],
    "socket_stage_waits_for_its_routes": [
        after("  SocketApiStage:", "SocketConnectRoute, ", ""),
    ],
    "every_alarm_exists": [
        without("FirstAttemptsAgeAlarm"),
        without("ConfirmThrottlesAlarm"),
        without("ConfirmServerErrorsAlarm"),
        without("BrowserSocketErrorsAlarm"),
        without("SecondPhonesAlarm"),
        without("KeyMismatchesAlarm"),
        instead("${AWS::StackName}-poisoned-text", "${AWS::StackName}-venom"),
    ],
    "server_errors_raise_an_alarm": [
        without("InboundSmsServerErrorsAlarm"),
        after("  AcquireServerErrorsAlarm:", "MetricName: server_error", "MetricName: server_errors"),
        after("  AcquireServerErrorsAlarm:", "Name: FunctionName", "Name: Function"),
        after("  AcquireServerErrorsAlarm:", "DatapointsToAlarm: 2", "DatapointsToAlarm: 5"),
        after("  AcquireServerErrorsAlarm:", "Threshold: 1", "Threshold: 100"),
    ],
    "every_alarm_has_a_runbook": [],
    "alarms_notify_the_alarm_topic": [
        instead("AlarmActions: [!Ref AlarmTopic]", "AlarmActions: []"),
        after("SweepNotRunningAlarm:", "breaching", "notBreaching"),
        after("ApiErrorsAlarm:", "notBreaching", "ignore"),
    ],
    "alarms_watch_existing_metrics": [
        instead("MetricName: delivery_failed", "MetricName: deliveries_failed"),
        after("DeliveriesFailedAlarm:", "Name: Deployment", "Name: Stack"),
        after("  ConfirmServerErrorsAlarm:", "${AWS::StackName}-confirm\n", "${AWS::StackName}-dispatcher\n"),
        after("ApiErrorsAlarm:", "      Dimensions:\n        - Name: ApiId\n          Value: !Ref HttpApi\n", ""),
        after("DeliveriesFailedAlarm:", "      Statistic: Sum\n", "      Metrics: []\n"),
    ],
    "every_failure_queue_has_an_alarm": [
        after("RetriesDeadAlarm:", "RetriesDeadQueue.QueueName", "RetriesQueue.QueueName"),
        after("RetriesDeadAlarm:", "Threshold: 0", "Threshold: 10"),
    ],
    "function_alarms_watch_their_own_function": [
        after("  ConfirmErrorsAlarm:", "!Sub ${AWS::StackName}-confirm\n", "!Sub ${AWS::StackName}-acquire\n"),
        after("  ConfirmServerErrorsAlarm:", "!Sub ${AWS::StackName}-confirm\n", "!Sub ${AWS::StackName}-acquire\n"),
    ],
    "dashboard_shows_every_metric": [
        instead('["Countersign", "created", "Deployment"', '["Countersign", "made", "Deployment"'),
        instead('["Countersign", "qr_redeemed", "Deployment"', '["Countersign", "qr_scanned", "Deployment"'),
        instead("AWS::CloudWatch::Dashboard", "AWS::CloudFormation::WaitConditionHandle"),
        instead('"server_error", "FunctionName", "${AWS::StackName}-confirm"]',
                '"server_error", "FunctionName", "${AWS::StackName}-acquire"]'),
    ],
    "every_parameter_has_a_default_that_deploys": [
        after("  Validity:", "    Default: 5m\n", ""),
        after("  Validity:", "Default: 5m", "Default: five"),
        after("  Architecture:", "Default: arm64", "Default: arm"),
        after("  RetriesConcurrency:", "Default: 2", "Default: 1"),
    ],
    "every_parameter_is_used_and_explained": [
        instead("ThrottlingBurstLimit: !Ref ApiBurstLimit", "ThrottlingBurstLimit: 5"),
        after("Metadata:", "[Validity, Retention]", "[Validity]"),
    ],
    # `test_broken_examples_are_found` has further edits for these two.
    "sam_example_fits_the_template": [
        after("  AlarmEmail:", '"^([^@ ]+@[^@ ]+)?$"', '"^$"'),
        after("  Rollout:", "      - Canary10Percent5Minutes\n", ""),
    ],
    "terraform_example_lists_the_same_parameters": [],
    # `test_broken_terraform_module_is_found` has further edits for these three.
    "terraform_passes_every_parameter": [
        after("Parameters:", "  Release:", "  Version:"),
    ],
    "terraform_passes_every_output": [after("Outputs:", "  TableName:", "  Name:")],
    "terraform_acknowledges_the_capabilities": [],
    "every_output_exists": [after("Outputs:", "  TableName:", "  Name:")],
    "domain_requires_a_certificate": [
        after("Rules:", "!Ref CertificateArn", "!Ref HostedZoneId"),
        instead("    Condition: HasAlarmEmail\n", ""),
    ],
}


class Rules(unittest.TestCase):
    def test_template_passes_every_rule(self):
        self.assertEqual(check.findings(Template(TEXT)), [])

    def test_template_with_gradual_rollouts_passes_every_rule(self):
        template = Template(TEXT, Rollout="Canary10Percent5Minutes")
        self.assertEqual(check.findings(template), [])
        self.assertEqual(len(template.of_type("AWS::CodeDeploy::DeploymentGroup")), 10)

    def test_every_rule_has_an_entry_in_broken(self):
        self.assertEqual({rule.__name__ for rule in RULES}, set(BROKEN))

    def test_each_rule_finds_the_edits_that_break_it(self):
        rules = {rule.__name__: rule for rule in RULES}
        for name, edits in BROKEN.items():
            for number, edit in enumerate(edits):
                with self.subTest(name, edit=number):
                    text = edit(TEXT)
                    self.assertNotEqual(text, TEXT)
                    self.assertTrue(list(rules[name](Template(text))), "found nothing")

    def test_broken_examples_are_found(self):
        rules = {rule.__name__: rule for rule in RULES}
        for rule, file, old, new in (
            ("sam_example_fits_the_template", "example.toml", "CAPABILITY_NAMED_IAM", "CAPABILITY_IAM"),
            ("sam_example_fits_the_template", "example.toml", 'stack_name = "countersign"\n', ""),
            ("sam_example_fits_the_template", "example.toml", "language_extensions = true\n", ""),
            ("sam_example_fits_the_template", "example.toml", '  # "SigningKeyArn=', '  "SigningKeyArn='),
            ("sam_example_fits_the_template", "example.toml", '  # "SigningKeyArn=', '  # "SigningKey='),
            ("sam_example_fits_the_template", "example.toml", '"Architecture=arm64"', '"Architecture=arm"'),
            ("terraform_example_lists_the_same_parameters", "example.toml", '  # "Sender=', '  # "CodePrefix='),
            ("terraform_example_lists_the_same_parameters", "example.tfvars", '# sender ', '# number '),
            ("terraform_example_lists_the_same_parameters", "example.tfvars", 'signing_key_arn    = ""', '# signing_key_arn    = ""'),
        ):
            with self.subTest(rule, old=old):
                text = (ENVIRONMENTS / file).read_text("utf-8")
                self.assertIn(old, text)
                at = "example" if file.endswith(".toml") else "example_for_terraform"
                broken = Template(TEXT, **{at: text.replace(old, new)})
                self.assertTrue(list(rules[rule](broken)), "found nothing")

    def test_broken_terraform_module_is_found(self):
        whole = module_text()
        rules = {rule.__name__: rule for rule in RULES}
        for rule, old, new in (
            ("terraform_passes_every_parameter", 'variable "sender" { default = null }\n', ""),
            ("terraform_passes_every_parameter", 'variable "sender"', 'variable "number"'),
            ("terraform_passes_every_parameter", "= var.sender\n", "= var.code_prefix\n"),
            ("terraform_passes_every_parameter", "    Validity  ", "    Validities"),
            ("terraform_passes_every_parameter", "{ type = string }", '{ default = "" }'),
            ("terraform_passes_every_output", '"ApiUrl"', '"ApiId"'),
            ("terraform_passes_every_output", 'output "api_id"', 'output "api"'),
            ("terraform_acknowledges_the_capabilities", '"CAPABILITY_NAMED_IAM"', '"CAPABILITY_IAM"'),
            ("terraform_acknowledges_the_capabilities", ', "CAPABILITY_AUTO_EXPAND"', ""),
        ):
            with self.subTest(rule, old=old):
                self.assertIn(old, whole)
                broken = Template(TEXT, terraform=whole.replace(old, new, 1))
                self.assertTrue(list(rules[rule](broken)), "found nothing")

    def test_missing_runbooks_and_parameters_in_the_documentation_are_found(self):
        whole = OPERATIONS.read_text("utf-8")
        rules = {rule.__name__: rule for rule in RULES}
        for name, old in (
            ("every_alarm_has_a_runbook", "### retries-dead\n"),
            ("every_parameter_is_used_and_explained", "| `Validity` |"),
        ):
            with self.subTest(name):
                self.assertIn(old, whole)
                broken = Template(TEXT, operations=whole.replace(old, ""))
                self.assertTrue(list(rules[name](broken)))


if __name__ == "__main__":
    unittest.main()
