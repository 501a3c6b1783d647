# How the stack is deployed.

variable "deployment" {
  description = "Name of the stack, and first part of every name in it."
  type        = string
  default     = "countersign"

  validation {
    condition     = can(regex("^[A-Za-z][A-Za-z0-9-]{0,31}$", var.deployment))
    error_message = "Up to 32 letters, digits and hyphens, a letter first: roles and functions are named after it."
  }
}

variable "bucket" {
  description = "The S3 bucket that package.sh uploads the functions to. The template goes there too."
  type        = string
}

variable "template" {
  description = "The packaged template, as package.sh writes it."
  type        = string
  default     = "../../.aws-sam/packaged.yaml"
}

# The template's parameters, which docs/operations.md explains. The first six have no default, because a plan without
# the environment's file would then undo a rotation of the signing key, or put the stack on an empty table.

variable "signing_key_arn" { type = string }
variable "published_key_arns" { type = list(string) }
variable "local_key" { type = string }
variable "local_key_wrapper_arn" { type = string }
variable "local_public_keys" { type = list(string) }
variable "existing_table_name" { type = string }
variable "sender" { default = null }
variable "code_prefix" { default = null }
variable "inbound_secret_arn" { default = null }
variable "sms_provider" { default = null }
variable "second_sms_provider" { default = null }
variable "lists" { default = null }
variable "webhook_secret_arn" { default = null }
variable "public_url" { default = null }
variable "open_id" { default = null }
variable "open_id_key_arn" { default = null }
variable "open_id_published_key_arns" {
  type    = list(string)
  default = []
}
variable "open_id_secret_arn" { default = null }
variable "phone_number_country" { default = null }
variable "phone_number_type" { default = null }
variable "validity" { default = null }
variable "retention" { default = null }
variable "origin_secret_arn" { default = null }
variable "domain_name" { default = null }
variable "certificate_arn" { default = null }
variable "hosted_zone_id" { default = null }
variable "carrier_lookup" { default = null }
variable "twilio_lookup_secret_arn" { default = null }
variable "carrier_lookups_per_day" { default = null }
variable "alarms" { default = null }
variable "page_email" { default = null }
variable "ticket_email" { default = null }
variable "monthly_budget" { default = null }
variable "unmatched_texts_threshold" { default = null }
variable "second_phones_threshold" { default = null }
variable "refusals_threshold" { default = null }
variable "throttled_threshold" { default = null }
variable "log_retention_days" { default = null }
variable "log_level" { default = null }
variable "report_lines" { default = null }
variable "socket_access_logs" { default = null }
variable "api_rate_limit" { default = null }
variable "api_burst_limit" { default = null }
variable "text_rate_limit" { default = null }
variable "text_burst_limit" { default = null }
variable "login_rate_limit" { default = null }
variable "login_burst_limit" { default = null }
variable "socket_rate_limit" { default = null }
variable "quiet_rate_limit" { default = null }
variable "quiet_burst_limit" { default = null }
variable "max_read_request_units" { default = null }
variable "max_write_request_units" { default = null }
variable "warm_read_units" { default = null }
variable "warm_write_units" { default = null }
variable "first_attempts_concurrency" { default = null }
variable "retries_concurrency" { default = null }
variable "due_shards" { default = null }
variable "edge_only" { default = null }
variable "reserved_concurrency" { default = null }
variable "architecture" { default = null }
variable "rollout" { default = null }
variable "release" { default = null }
variable "permissions_boundary" { default = null }
