#!/usr/bin/env bash
# Builds the functions and packages the template for Terraform: infra/terraform/package.sh NAME reads
# infra/environments/NAME.tfvars, and uploads to its bucket with your AWS credentials.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SAM_CLI_TELEMETRY=${SAM_CLI_TELEMETRY:-0}
# Without this, `sam` does not run the template's loops.
export SAM_CLI_ENABLE_LANGUAGE_EXTENSIONS=1

file=infra/environments/${1:?"which environment? infra/terraform/package.sh NAME"}.tfvars
setting() { sed -nE "s/^$1[[:space:]]*=[[:space:]]*\"([^\"]*)\".*/\1/p" "$file" | head -n 1; }
bucket=$(setting bucket)
deployment=$(setting deployment)
architecture=$(setting architecture)
if [ -z "$bucket" ]; then
    echo "package.sh: $file must set bucket" >&2
    exit 1
fi

cargo metadata --locked --format-version 1 >/dev/null
sam build --template-file infra/template.yaml \
    --parameter-overrides "Architecture=${architecture:-arm64}"

exec sam package --s3-bucket "$bucket" --s3-prefix "${deployment:-countersign}" \
    --output-template-file .aws-sam/packaged.yaml
