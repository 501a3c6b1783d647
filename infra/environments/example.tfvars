# One environment of infra/terraform. Copy this file to NAME.tfvars, edit the copy, commit it, and
# deploy it as described in infra/terraform/README.md.
#
# Set the environment's variables only in this copy. A variable that is not listed takes its default.
# docs/operations.md explains each.
deployment   = "countersign"
bucket       = "an-s3-bucket-of-yours"
architecture = "arm64"
# An update reaches one request in ten for five minutes, and is rolled back on an alarm.
rollout = "Canary10Percent5Minutes"
# page_email  = "oncall@example.com"
# sender      = "+12025550199"

# Keys change the first five, a restore the last. Terraform does not plan without them.
signing_key_arn       = ""
published_key_arns    = []
local_key             = ""
local_key_wrapper_arn = ""
local_public_keys     = []
existing_table_name   = ""

# The OpenID provider. Its rotation changes the two about its key.
# open_id                    = "On"
# open_id_key_arn            = ""
# open_id_published_key_arns = []
# open_id_secret_arn         = ""

# Any new value restarts the functions, so that they read the origin secret again.
# release = "2026-01-31"
