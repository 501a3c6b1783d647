# The name is fixed, so a table that was left behind stands in the way of the next one. Import it.
resource "aws_dynamodb_table" "main" {
  name                        = var.deployment
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "pk"
  range_key                   = "sk"
  deletion_protection_enabled = true

  on_demand_throughput {
    max_read_request_units  = var.max_read_request_units
    max_write_request_units = var.max_write_request_units
  }

  attribute {
    name = "pk"
    type = "S"
  }

  attribute {
    name = "sk"
    type = "S"
  }

  attribute {
    name = "due_shard"
    type = "N"
  }

  attribute {
    name = "due_at"
    type = "N"
  }

  # Sparse: an item is in it while a webhook is owed.
  global_secondary_index {
    name            = "due"
    hash_key        = "due_shard"
    range_key       = "due_at"
    projection_type = "KEYS_ONLY"

    on_demand_throughput {
      max_read_request_units  = var.max_read_request_units
      max_write_request_units = var.max_write_request_units
    }
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled = true
  }

  # The command reads these when it creates an app.
  tags = { for key, value in {
    "countersign:sender" = local.sender
    "countersign:prefix" = var.code_prefix
  } : key => value if value != "" }

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_kms_key" "signing" {
  count = var.signing_key_arn == "" ? 1 : 0

  description              = "Signs the webhooks of ${var.deployment}"
  customer_master_key_spec = "ECC_NIST_P256"
  key_usage                = "SIGN_VERIFY"
  deletion_window_in_days  = 30
  policy                   = data.aws_iam_policy_document.signing_key.json

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_kms_alias" "signing" {
  count = var.signing_key_arn == "" ? 1 : 0

  name          = "alias/${var.deployment}"
  target_key_id = aws_kms_key.signing[0].key_id
}

data "aws_iam_policy_document" "signing_key" {
  # The account's policies decide who administers the key. They cannot let anyone sign.
  statement {
    sid = "Administration"
    actions = [
      "kms:CancelKeyDeletion",
      "kms:CreateAlias",
      "kms:DeleteAlias",
      "kms:DescribeKey",
      "kms:DisableKey",
      "kms:EnableKey",
      "kms:GetKeyPolicy",
      "kms:GetKeyRotationStatus",
      "kms:GetPublicKey",
      "kms:ListKeyPolicies",
      "kms:ListResourceTags",
      "kms:PutKeyPolicy",
      "kms:ScheduleKeyDeletion",
      "kms:TagResource",
      "kms:UntagResource",
      "kms:UpdateAlias",
      "kms:UpdateKeyDescription",
    ]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:${local.partition}:iam::${local.account}:root"]
    }
  }

  # The role by its name, not as principal: role and key would wait for each other.
  statement {
    sid       = "DispatcherSigns"
    actions   = ["kms:Sign"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:${local.partition}:iam::${local.account}:root"]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:PrincipalArn"
      values   = ["arn:${local.partition}:iam::${local.account}:role/${var.deployment}-${local.region}-dispatcher"]
    }

    condition {
      test     = "StringEquals"
      variable = "kms:SigningAlgorithm"
      values   = ["ECDSA_SHA_256"]
    }
  }
}
