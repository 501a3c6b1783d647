# One environment of infra/terraform. Copy this file to NAME.tfvars, edit the copy, commit it, and
# apply it with `terraform apply -var-file=../environments/NAME.tfvars`.
#
# The copy is the only place where the environment's variables are set: a variable that is not
# listed takes its default. docs/operations.md explains each.
deployment   = "countersign"
architecture = "arm64"
# alarm_email = "oncall@example.com"
# sender      = "+12025550199"

# A rotation of the signing key changes both. Terraform does not plan without them.
signing_key_arn    = ""
published_key_arns = []

# Any new value restarts the functions, so that they read their secrets again.
# release = "2026-01-31"
