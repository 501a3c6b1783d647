# As the parameters of ../template.yaml, and two besides. Set them in a file of
# ../environments, one for each environment. The two without a default have none so that nothing is
# planned without that file: it would undo a rotation of the signing key.

variable "deployment" {
  description = "Name of this deployment, the stack's name with SAM: prefix of every name, dimension of the metrics."
  type        = string
  default     = "countersign"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,31}$", var.deployment))
    error_message = "Up to 32 small letters, digits and hyphens, a letter first."
  }
}

variable "artifacts" {
  description = "Where `cargo lambda build --release --output-format zip` in functions/ put the functions."
  type        = string
  default     = "../../target/lambda"
}

variable "sender" {
  description = "The number that receives texts, in E.164, or a short code: what an app gets that is created without one. Empty: the number of this deployment, where it has one, or none."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(\\+[0-9]{7,15}|[0-9]{3,8})?$", var.sender))
    error_message = "Does not match ^(\\+[0-9]{7,15}|[0-9]{3,8})?$."
  }
}

variable "code_prefix" {
  description = "Two to eight letters that codes begin with, for apps without a prefix. Empty is CS."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^([A-Za-z]{2,8})?$", var.code_prefix))
    error_message = "Does not match ^([A-Za-z]{2,8})?$."
  }
}

variable "inbound_secret_arn" {
  description = "The secret of Secrets Manager with the secrets of inbound texts, encrypted with the key that AWS manages. Empty, and inbound_parameter_name empty too: the deployment makes one."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+)?$", var.inbound_secret_arn))
    error_message = "Does not match ^(arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+)?$."
  }
}

variable "inbound_parameter_name" {
  description = "The same as a secure string in the Parameter Store, by its full name, such as /countersign/inbound."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(/[A-Za-z0-9_./-]+)?$", var.inbound_parameter_name))
    error_message = "Does not match ^(/[A-Za-z0-9_./-]+)?$."
  }

  validation {
    condition     = var.inbound_parameter_name == "" || var.inbound_secret_arn == ""
    error_message = "Give inbound_secret_arn or inbound_parameter_name, not both."
  }
}

variable "phone_number_country" {
  description = "ISO code of the country to rent a two-way number in (it costs money each month). Empty is none."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^([A-Z]{2})?$", var.phone_number_country))
    error_message = "Does not match ^([A-Z]{2})?$."
  }
}

variable "phone_number_type" {
  description = "What kind of number, where phone_number_country names a country."
  type        = string
  default     = "LONG_CODE"

  validation {
    condition     = contains(["LONG_CODE", "TOLL_FREE", "TEN_DLC", "SIMULATOR"], var.phone_number_type)
    error_message = "One of LONG_CODE, TOLL_FREE, TEN_DLC, SIMULATOR."
  }
}

variable "validity" {
  description = "How long a code can be texted, for example 90s or 5m."
  type        = string
  default     = "5m"

  validation {
    condition     = can(regex("^[1-9][0-9]*(s|m|h)$", var.validity))
    error_message = "Does not match ^[1-9][0-9]*(s|m|h)$."
  }
}

variable "retention" {
  description = "How long a verified confirmation is kept once no webhook is owed, such as 7d."
  type        = string
  default     = "7d"

  validation {
    condition     = can(regex("^[1-9][0-9]*(s|m|h|d)$", var.retention))
    error_message = "Does not match ^[1-9][0-9]*(s|m|h|d)$."
  }
}

variable "origin_secret_arn" {
  description = "The secret of Secrets Manager that a CloudFront distribution of yours proves itself with, so that it is believed on where people are. Empty, and origin_parameter_name empty too: nobody is."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+)?$", var.origin_secret_arn))
    error_message = "Does not match ^(arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+)?$."
  }
}

variable "origin_parameter_name" {
  description = "The same as a secure string in the Parameter Store, by its full name, such as /countersign/origin."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(/[A-Za-z0-9_./-]+)?$", var.origin_parameter_name))
    error_message = "Does not match ^(/[A-Za-z0-9_./-]+)?$."
  }

  validation {
    condition     = var.origin_parameter_name == "" || var.origin_secret_arn == ""
    error_message = "Give origin_secret_arn or origin_parameter_name, not both."
  }
}

variable "signing_key_arn" {
  description = "The KMS key (ECC_NIST_P256) that signs webhooks. Empty is the key of this deployment."
  type        = string

  validation {
    condition     = can(regex("^(arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+)?$", var.signing_key_arn))
    error_message = "Does not match ^(arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+)?$."
  }
}

variable "published_key_arns" {
  description = "KMS keys that are published beside the signing key, former and next ones."
  type        = list(string)
}

variable "domain_name" {
  description = "A host name for the API. Empty is the one that API Gateway gives."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^([a-z0-9-]+(\\.[a-z0-9-]+)+)?$", var.domain_name))
    error_message = "Does not match ^([a-z0-9-]+(\\.[a-z0-9-]+)+)?$."
  }
}

variable "certificate_arn" {
  description = "The certificate for domain_name, in the region of this deployment."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(arn:[a-z-]+:acm:[a-z0-9-]+:[0-9]{12}:certificate/[A-Za-z0-9-]+)?$", var.certificate_arn))
    error_message = "Does not match ^(arn:[a-z-]+:acm:[a-z0-9-]+:[0-9]{12}:certificate/[A-Za-z0-9-]+)?$."
  }

  validation {
    condition     = var.certificate_arn != "" || var.domain_name == ""
    error_message = "domain_name needs a certificate_arn."
  }
}

variable "hosted_zone_id" {
  description = "The Route 53 zone to put domain_name into. Empty, if its records are kept elsewhere."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(Z[A-Z0-9]+)?$", var.hosted_zone_id))
    error_message = "Does not match ^(Z[A-Z0-9]+)?$."
  }
}

variable "alarm_email" {
  description = "An address that alarms are sent to, once it has confirmed. Empty is none."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^([^@ ]+@[^@ ]+)?$", var.alarm_email))
    error_message = "Does not match ^([^@ ]+@[^@ ]+)?$."
  }
}

variable "unmatched_texts_threshold" {
  description = "Texts in five minutes that look like guessing or forging, from which on an alarm is raised."
  type        = number
  default     = 20

  validation {
    condition     = var.unmatched_texts_threshold >= 1
    error_message = "At least 1."
  }
}

variable "second_phones_threshold" {
  description = "Logins in five minutes that a second phone opened, from which on an alarm is raised."
  type        = number
  default     = 5

  validation {
    condition     = var.second_phones_threshold >= 1
    error_message = "At least 1."
  }
}

variable "log_retention_days" {
  description = "How many days logs are kept."
  type        = number
  default     = 30

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827], var.log_retention_days)
    error_message = "One of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827."
  }
}

variable "log_level" {
  description = "The least level of log lines."
  type        = string
  default     = "INFO"

  validation {
    condition     = contains(["TRACE", "DEBUG", "INFO"], var.log_level)
    error_message = "One of TRACE, DEBUG, INFO."
  }
}

variable "socket_access_logs" {
  description = "Whether API Gateway logs who connects to the socket. On needs a role for logs in API Gateway's settings of the account and region, which WebSocket APIs write with; HTTP APIs need none."
  type        = string
  default     = "Off"

  validation {
    condition     = contains(["Off", "On"], var.socket_access_logs)
    error_message = "One of Off, On."
  }
}

variable "api_rate_limit" {
  description = "Requests a second that the API takes in the long run."
  type        = number
  default     = 200

  validation {
    condition     = var.api_rate_limit >= 1
    error_message = "At least 1."
  }
}

variable "api_burst_limit" {
  description = "Requests that the API takes at once."
  type        = number
  default     = 400

  validation {
    condition     = var.api_burst_limit >= 1
    error_message = "At least 1."
  }
}

variable "login_rate_limit" {
  description = "Requests a second that each route of logins, and of their socket, takes in the long run."
  type        = number
  default     = 100

  validation {
    condition     = var.login_rate_limit >= 1
    error_message = "At least 1."
  }
}

variable "login_burst_limit" {
  description = "Requests that each of these routes takes at once."
  type        = number
  default     = 200

  validation {
    condition     = var.login_burst_limit >= 1
    error_message = "At least 1."
  }
}

variable "max_read_request_units" {
  description = "Read units a second that the table and its index are capped at, each."
  type        = number
  default     = 2000

  validation {
    condition     = var.max_read_request_units >= 1
    error_message = "At least 1."
  }
}

variable "max_write_request_units" {
  description = "Write units a second that the table and its index are capped at, each."
  type        = number
  default     = 2000

  validation {
    condition     = var.max_write_request_units >= 1
    error_message = "At least 1."
  }
}

variable "first_attempts_concurrency" {
  description = "How many dispatchers at most work on first attempts at once, ten deliveries each."
  type        = number
  default     = 2

  validation {
    condition     = var.first_attempts_concurrency >= 2 && var.first_attempts_concurrency <= 1000
    error_message = "At least 2, at most 1000."
  }
}

variable "retries_concurrency" {
  description = "How many dispatchers at most work on retries at once, ten deliveries each."
  type        = number
  default     = 2

  validation {
    condition     = var.retries_concurrency >= 2 && var.retries_concurrency <= 1000
    error_message = "At least 2, at most 1000."
  }
}

variable "reserved_concurrency" {
  description = "Executions to reserve for each function but the dispatcher, and the most that it gets. 0 is off: new accounts have ten in all and cannot reserve any."
  type        = number
  default     = 0

  validation {
    condition     = var.reserved_concurrency >= 0
    error_message = "At least 0."
  }
}

variable "architecture" {
  description = "The processor of the functions, for the build as well."
  type        = string
  default     = "arm64"

  validation {
    condition     = contains(["arm64", "x86_64"], var.architecture)
    error_message = "One of arm64, x86_64."
  }
}

variable "release" {
  description = "Any text. A new one restarts the functions, so that they read their secrets again."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^[A-Za-z0-9:._-]{0,64}$", var.release))
    error_message = "Does not match ^[A-Za-z0-9:._-]{0,64}$."
  }
}
