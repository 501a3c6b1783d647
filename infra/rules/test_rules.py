"""Tests that the template passes every rule, and that each rule finds an edit that breaks it."""

import copy
import unittest

import check
from model import RULES, Template, whole

SOURCE = whole()


def at(*path, to=None):
    """Returns an edit that sets a value among the resources, or removes it."""

    def edit(template):
        inner = template["Resources"]
        for key in path[:-1]:
            inner = inner[key]
        if to is None:
            del inner[path[-1]]
        else:
            inner[path[-1]] = to

    return edit


def in_globals(key, to=None):
    """Returns an edit of what all functions share."""

    def edit(template):
        shared = template["Globals"]["Function"]
        shared.pop(key)
        if to is not None:
            shared[key] = to

    return edit


def parameter(name, key, to):
    """Returns an edit of a parameter."""

    def edit(template):
        template["Parameters"][name][key] = to

    return edit


def replaced(name, old, new):
    """Returns an edit of the texts in a resource."""

    def texts(value):
        match value:
            case str():
                return value.replace(old, new)
            case dict():
                return {key: texts(inner) for key, inner in value.items()}
            case list():
                return [texts(inner) for inner in value]
        return value

    def edit(template):
        before = template["Resources"][name]
        template["Resources"][name] = texts(before)
        assert template["Resources"][name] != before, (name, old)

    return edit


P = "Properties"
GRADUAL = "Canary10Percent5Minutes"

# Edits of the template that a rule must find, by rule.
BROKEN = {
    "callers_reach_the_alias": [
        in_globals("AutoPublishAlias"),
        replaced("AcquireApiPermission", "AcquireFunctionAliaslive", "AcquireFunction"),
    ],
    "changed_configuration_publishes_a_version": [
        in_globals("AutoPublishAliasAllProperties"),
        at("ConfirmFunction", P, "VersionDescription"),
        in_globals("Environment", to={"Variables": {"COUNTERSIGN_SETTINGS": "1"}}),
    ],
    "settings_name_every_parameter_that_functions_depend_on": [
        replaced("Settings", "${Validity}", ""),
        # A parameter used in a condition, and one that refers to a Systems Manager parameter.
        replaced("Settings", "${OriginSecretArn}", ""),
        replaced("Settings", "${ExistingTableName}", ""),
        at("ConfirmFunction", P, "Timeout", to={"Ref": "RefusalsThreshold"}),
    ],
    "roles_keep_what_the_live_version_needs": [
        at("ConfirmPolicy", P, "PolicyName", to="confirm"),
        at("ConfirmRole", P, "Policies", to=[{"PolicyName": "more"}]),
        at("ConfirmFunction", "DependsOn"),
    ],
    "roles_can_be_bounded": [at("ConfirmRole", P, "PermissionsBoundary"), at("DeploymentRole", P, "PermissionsBoundary")],
    "preflight_knows_where_the_template_is_refused": [
        at("OwnNumber", "Type", to="AWS::SMSVOICE::Pool"),
    ],
    "rollbacks_watch_errors_of_the_function": [
        replaced("ConfirmFunction", "ConfirmServerErrorsAlarm", "AcquireServerErrorsAlarm"),
        replaced("BrowserSocketFunction", "BrowserSocketErrorsAlarm", "BrowserSocketThrottlesAlarm"),
    ],
    "preflight_counts_what_is_reserved": [at("SweeperFunction")],
    "gradual_rollouts_are_complete": [
        replaced("DeploymentRole", "-confirm", "-other"),
        at("ConfirmFunction", P, "DeploymentPreference", "Alarms"),
    ],
    "one_function_signs_with_each_key": [
        replaced("OpenIdKey", "-openid", "-dispatcher"),
        replaced("SigningKey", "kms:CancelKeyDeletion", "kms:Sign"),
        replaced("SigningKey", "-dispatcher", "-*"),
        replaced("SigningKey", "ECDSA_SHA_256", "ECDSA_SHA_384"),
    ],
    "irreplaceable_resources_are_retained": [
        at("Table", "DeletionPolicy", to="Retain"),
        at("SigningKey", "UpdateReplacePolicy"),
        at("OwnNumber", "DeletionPolicy"),
    ],
    "table_is_protected": [
        at("Table", P, "DeletionProtectionEnabled", to=False),
        at("Table", P, "PointInTimeRecoverySpecification"),
    ],
    "table_has_a_throughput_limit": [at("Table", P, "OnDemandThroughput")],
    "secret_has_no_value_of_the_template": [
        at("InboundSecrets", P, "SecretString", to="{}"),
        at("InboundSecrets", P, "GenerateSecretString", to={}),
        at("WebhookSecret", "DeletionPolicy"),
    ],
    "messages_stay_hidden_for_six_timeouts": [
        at("RetriesQueue", P, "VisibilityTimeout", to=300),
        at("DispatcherFunction", P, "Timeout", to=90),
    ],
    "queues_require_tls": [
        replaced("RetriesQueuePolicy", "Deny", "Allow"),
        at("InboundSnsFailedQueuePolicy"),
    ],
    "subscriptions_have_a_dead_letter_queue": [
        at("InboundSnsSubscription", P, "RedrivePolicy"),
        replaced("InboundSnsUndeliveredQueuePolicy", "sns.amazonaws.com", "sqs.amazonaws.com"),
        replaced("InboundSnsUndeliveredQueuePolicy", "InboundTopic", "PageTopic"),
    ],
    "topics_accept_their_services_over_tls": [
        replaced("InboundTopicPolicy", "sms-voice.amazonaws.com", "sns.amazonaws.com"),
        replaced("InboundTopicPolicy", "Deny", "Allow"),
        at("InboundTopic", P, "FifoTopic", to=True),
    ],
    "stages_throttle_and_log": [
        at("SocketApiStage", P, "DefaultRouteSettings"),
        replaced("SocketApiStage", "$context.eventType", "$context.authorizer.principalId"),
        replaced("HttpApiStage", "$context.routeKey", "$context.path"),
        at("HttpApiStage", P, "AccessLogSettings"),
    ],
    "public_routes_have_their_own_throttle": [
        at("HttpApiStage", P, "RouteSettings", "ANY /qr-sessions/{id}"),
        at("HttpApiStage", P, "RouteSettings", "ANY /phone-registrations/{proxy+}"),
        replaced("HttpApiStage", "QrSessionActionRoute", "AcquireRoute"),
    ],
    "every_provider_has_its_own_throttle": [
        lambda template: template["Parameters"]["SmsProvider"]["AllowedValues"].remove("plivo"),
        at("TwilioRoute"),
        at("HttpApiStage", P, "RouteSettings", "ANY /inbound-sms/twilio"),
        at("HttpApiStage", P, "RouteSettings", "ANY /inbound-sms/sinch", "Fn::If", 0, to="UsesTwilio"),
        replaced("HttpApiStage", "TextRateLimit", "ApiRateLimit"),
    ],
    "address_cannot_use_up_a_route": [parameter("TextRateLimit", "Default", 12)],
    "refusals_of_every_route_are_counted": [
        replaced("ThrottledTextsFilter", "/inbound-sms/*", "/inbound-sms/twilio"),
        replaced("ThrottledOthersFilter", "/make-confirmation", "/other"),
        replaced("ThrottledAcquireFilter", ' && ($.integrationStatus = "-")', ""),
    ],
    "socket_stage_waits_for_its_routes": [at("SocketApiStage", "DependsOn")],
    "every_alarm_has_a_runbook": [replaced("FirstAttemptsAgeAlarm", "first-attempts-age", "age")],
    "every_alarm_is_a_page_or_a_ticket": [
        at("ApiErrorsAlarm", P, "AlarmActions", to=[]),
        at("ApiErrorsAlarm", P, "OKActions"),
        at("SweepNotSucceedingAlarm", P, "TreatMissingData", to="notBreaching"),
        at("ApiErrorsAlarm", P, "AlarmDescription", to=""),
        replaced("ApiErrorsAlarm", "-page-", "-ticket-"),
    ],
    "resources_that_moved_have_other_names": [
        replaced("ApiErrorsAlarm", "-page-", "-"),
        replaced("Dashboard", "-overview-", "-"),
        replaced("MonthlyBudgetAlarm", "-monthly-", "-"),
    ],
    "alarms_can_be_switched_off": [
        at("ApiErrorsAlarm", "Condition"),
        at("ListThrottledAlarm", "Condition", to="HasList"),
        at("Dashboard", "Condition"),
    ],
    "sweeps_that_do_not_succeed_page": [
        at("SweepNotSucceedingAlarm"),
        at("SweepNotSucceedingAlarm", P, "EvaluationPeriods", to=3),
        replaced("SweepNotSucceedingAlarm", "PageTopic", "TicketTopic"),
    ],
    "alarms_watch_existing_metrics": [
        at("DeliveriesFailedAlarm", P, "MetricName", to="deliveries_failed"),
        replaced("DeliveriesFailedAlarm", "Deployment", "Stack"),
        replaced("ConfirmServerErrorsAlarm", "-confirm", "-dispatcher"),
        at("ApiErrorsAlarm", P, "Dimensions"),
        replaced("NothingVerifiedAlarm", "created", "started"),
        replaced("ThrottledTextsAlarm", "HttpApi", "SocketApi"),
    ],
    "single_events_do_not_page": [
        at("AttemptsFailedOursAlarm", P, "Threshold", to=1),
        replaced("DeliveriesFailedAlarm", "TicketTopic", "PageTopic"),
    ],
    "every_failure_queue_has_an_alarm": [
        at("RetriesDeadAlarm", P, "Threshold", to=10),
        replaced("RetriesDeadAlarm", "-retries-dead", "-retries"),
    ],
    "dashboard_shows_every_metric": [
        replaced("Dashboard", '"created"', '"made"'),
        replaced("Dashboard", '"throttled_texts"', '"throttled_all"'),
        replaced("Dashboard", "${AWS::StackName}-confirm\"", "${AWS::StackName}-acquire\""),
    ],
    "every_parameter_is_explained": [
        parameter("Validity", "Description", ""),
        lambda template: template["Parameters"]["Validity"].pop("Default"),
        lambda template: template["Parameters"].update(Other={"Default": "", "Description": "x"}),
    ],
    "terraform_passes_every_parameter": [
        lambda template: template["Parameters"].update(Other={"Default": ""}),
    ],
    "terraform_passes_every_output": [lambda template: template["Outputs"].update(Other={"Value": ""})],
}


class Rules(unittest.TestCase):
    def test_template_passes_every_rule(self):
        self.assertEqual(check.findings(Template()), [])

    def test_template_with_gradual_rollouts_passes_every_rule(self):
        template = Template(Rollout=GRADUAL)
        self.assertEqual(check.findings(template), [])
        self.assertEqual(len(template.of_type("AWS::CodeDeploy::DeploymentGroup")), 13)

    def test_every_rule_has_an_entry_in_broken(self):
        self.assertEqual({rule.__name__ for rule in RULES}, set(BROKEN))

    def test_each_rule_finds_the_edits_that_break_it(self):
        rules = {rule.__name__: rule for rule in RULES}
        for name, edits in BROKEN.items():
            given = {"Rollout": GRADUAL} if name.startswith("gradual") else {}
            for number, edit in enumerate(edits):
                with self.subTest(name, edit=number):
                    source = copy.deepcopy(SOURCE)
                    edit(source)
                    self.assertTrue(list(rules[name](Template(source, **given))), "found nothing")


if __name__ == "__main__":
    unittest.main()
