# One CloudFormation stack with the packaged template. README.md explains how to use it.

terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

locals {
  # Variables that are null are left out, so the template's defaults apply.
  parameters = { for name, value in {
    Sender                   = var.sender
    CodePrefix               = var.code_prefix
    InboundSecretArn         = var.inbound_secret_arn
    SmsProvider              = var.sms_provider
    SecondSmsProvider        = var.second_sms_provider
    PublicUrl                = var.public_url
    PhoneNumberCountry       = var.phone_number_country
    PhoneNumberType          = var.phone_number_type
    Validity                 = var.validity
    Retention                = var.retention
    OriginSecretArn          = var.origin_secret_arn
    SigningKeyArn            = var.signing_key_arn
    WebhookSecretArn         = var.webhook_secret_arn
    PublishedKeyArns         = join(",", var.published_key_arns)
    LocalKey                 = var.local_key
    LocalKeyWrapperArn       = var.local_key_wrapper_arn
    LocalPublicKeys          = join(",", var.local_public_keys)
    OpenId                   = var.open_id
    OpenIdKeyArn             = var.open_id_key_arn
    OpenIdPublishedKeyArns   = join(",", var.open_id_published_key_arns)
    OpenIdSecretArn          = var.open_id_secret_arn
    ExistingTableName        = var.existing_table_name
    Lists                    = var.lists
    DomainName               = var.domain_name
    CertificateArn           = var.certificate_arn
    HostedZoneId             = var.hosted_zone_id
    CarrierLookup            = var.carrier_lookup
    TwilioLookupSecretArn    = var.twilio_lookup_secret_arn
    CarrierLookupsPerDay     = var.carrier_lookups_per_day
    Alarms                   = var.alarms
    PageEmail                = var.page_email
    TicketEmail              = var.ticket_email
    MonthlyBudget            = var.monthly_budget
    UnmatchedTextsThreshold  = var.unmatched_texts_threshold
    SecondPhonesThreshold    = var.second_phones_threshold
    RefusalsThreshold        = var.refusals_threshold
    ThrottledThreshold       = var.throttled_threshold
    LogRetentionDays         = var.log_retention_days
    LogLevel                 = var.log_level
    ReportLines              = var.report_lines
    SocketAccessLogs         = var.socket_access_logs
    ApiRateLimit             = var.api_rate_limit
    ApiBurstLimit            = var.api_burst_limit
    TextRateLimit            = var.text_rate_limit
    TextBurstLimit           = var.text_burst_limit
    LoginRateLimit           = var.login_rate_limit
    LoginBurstLimit          = var.login_burst_limit
    SocketRateLimit          = var.socket_rate_limit
    QuietRateLimit           = var.quiet_rate_limit
    QuietBurstLimit          = var.quiet_burst_limit
    MaxReadRequestUnits      = var.max_read_request_units
    MaxWriteRequestUnits     = var.max_write_request_units
    WarmReadUnits            = var.warm_read_units
    WarmWriteUnits           = var.warm_write_units
    FirstAttemptsConcurrency = var.first_attempts_concurrency
    RetriesConcurrency       = var.retries_concurrency
    DueShards                = var.due_shards
    EdgeOnly                 = var.edge_only
    ReservedConcurrency      = var.reserved_concurrency
    Architecture             = var.architecture
    Rollout                  = var.rollout
    Release                  = var.release
    PermissionsBoundary      = var.permissions_boundary
  } : name => tostring(value) if value != null }
}

data "aws_s3_bucket" "artifacts" {
  bucket = var.bucket
}

# CloudFormation accepts a template of this size only from S3. A changed template gets a different key.
resource "aws_s3_object" "template" {
  bucket = var.bucket
  key    = "${var.deployment}/${filesha256(var.template)}.yaml"
  source = var.template
}

resource "aws_cloudformation_stack" "countersign" {
  name         = var.deployment
  template_url = "https://${data.aws_s3_bucket.artifacts.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  parameters   = local.parameters
  # The template names its roles, and uses loops and SAM's transform.
  capabilities = ["CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]

  # The slowest rollout takes 100 minutes, and a certificate's domain can take an hour.
  timeouts {
    create = "2h"
    update = "3h"
    delete = "2h"
  }

  lifecycle {
    # A default would undo a rotation, or take all users for strangers.
    precondition {
      condition     = var.open_id != "On" || (var.open_id_key_arn != null && var.open_id_secret_arn != null)
      error_message = "With open_id, set open_id_key_arn and open_id_secret_arn, at first to \"\"."
    }
  }
}
