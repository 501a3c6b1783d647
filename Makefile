# `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help run example test check fuzz openapi numbering-plans bench bench-functions emulator deploy-local deploy clean

# Arguments for `countersign serve` in `make run`, for the benchmarks in `make bench` and
# `make bench-functions`, and for `sam deploy` in `make deploy`.
ARGS ?=
# The language of `make example`.
IN ?= node
# `make deploy` deploys infra/environments/$(ENV).toml. ENV is only read from the command line: shells often
# set a variable of that name, and it must not choose what is deployed.
ifneq ($(origin ENV),command line)
override ENV :=
endif

help: ## list the targets
	@echo "Countersign proves to a service that a user holds a phone."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make run ARGS='--listen 127.0.0.1:9000'   passes options on to the command"

run: ## build and start the server on http://127.0.0.1:8787 (needs only Rust and a C compiler)
	@echo "Building the server. The first time, cargo fetches and compiles about 290 crates."
	cargo run --profile local --locked -p countersign -- serve $(ARGS)

example: ## start the example of docs/quickstart.md beside `make run` (IN=node, python, go or better-auth)
	@scripts/example.sh $(IN)

test: ## run all tests; fetches the tools into .tools/ first (ONLY="browser widget" runs some)
	@scripts/test.sh $(ONLY)

check: ## check format, lints, docs, dependencies and our own rules (ONLY="links sizes" runs some)
	@scripts/check.sh $(ONLY)

fuzz: ## search for inputs that break a property (FUZZ_SECONDS=60 each; ONLY="twilio http" runs some)
	@scripts/fuzz.sh $(ONLY)

openapi: ## update docs/openapi.json and the page of the reference
	@scripts/openapi.sh

numbering-plans: ## update the numbering plans from libphonenumber's metadata
	@scripts/numbering_plans.sh

bench: ## build for release, then measure (ARGS are options of the benchmark)
	@scripts/bench.sh $(ARGS)

bench-functions: ## measure the Lambda functions beside the AWS SDK as it comes (ARGS='--rounds 5')
	@scripts/bench_functions.sh $(ARGS)

emulator: ## start an emulator of AWS on http://127.0.0.1:4566 (Linux)
	@scripts/emulator.sh emulator

deploy-local: ## build the functions and deploy them to the emulator, as often as you like
	@scripts/emulator.sh deploy

deploy: ## build for AWS and deploy infra/environments/$(ENV).toml (ARGS are options of `sam deploy`)
	@infra/deploy.sh $(ENV) $(ARGS)

clean: ## remove build output and fetched tools; keeps the data in .countersign/
	cargo clean
	rm -rf .tools fuzz/target tests/browser/node_modules clients/widget/node_modules clients/authorize/node_modules clients/phone/node_modules clients/console/node_modules clients/node/node_modules clients/node/types clients/node/cjs clients/better-auth/node_modules clients/better-auth/dist clients/authenticator/node_modules clients/authenticator/dist clients/authenticator/cjs dist examples/node/node_modules tests/interop/providers/node_modules tests/openapi/clients/node_modules tests/assistants/node_modules tests/openid/node_modules tests/openid/clients/spring/target
	rm -rf clients/sdk/kotlin/*/target clients/sdk/kotlin/svc-core/generated
	rm -rf clients/sdk/kotlin/.gradle clients/sdk/kotlin/build clients/sdk/kotlin/*/build
