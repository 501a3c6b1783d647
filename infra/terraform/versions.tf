# The same as ../template.yaml, resource by resource; `make check` compares the two.
# Of that template it leaves out CodeDeploy: an update takes over at once.

terraform {
  # Write-only attributes, for a secret that stands in no state file.
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account   = data.aws_caller_identity.current.account_id
  partition = data.aws_partition.current.partition
  region    = data.aws_region.current.region
}
