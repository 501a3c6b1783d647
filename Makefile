# `make` alone prints what there is.
.DEFAULT_GOAL := help
.PHONY: help run test check openapi bench deploy clean

# What follows `countersign serve` in `make run`, or the caller's options in `make bench`.
ARGS ?=
# The environment that `make deploy` deploys: infra/environments/$(ENV).toml. Taken from the command
# line alone: a variable of that name is common in shells, and must not choose what is deployed.
ifneq ($(origin ENV),command line)
override ENV :=
endif

help: ## this list
	@echo "Countersign: a service that knows a person holds a phone."
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make run ARGS='--listen 127.0.0.1:9000'   passes options on to the command"

run: ## build and start the server on http://127.0.0.1:8787 (needs Rust and a C compiler alone)
	@echo "Building the server. The first time, cargo fetches and compiles about 230 crates."
	cargo run --profile local --locked -p countersign -- serve $(ARGS)

test: ## every test; fetches the tools it needs into .tools/ first (ONLY="browser widget" runs some)
	@scripts/test.sh $(ONLY)

check: ## format, lints, docs, dependencies and the house rules (ONLY="links sizes" runs some)
	@scripts/check.sh $(ONLY)

openapi: ## write docs/openapi.json anew
	@scripts/openapi.sh

bench: ## build for release, then measure (ARGS are the caller's options)
	@scripts/bench.sh $(ARGS)

deploy: ## build for AWS and deploy infra/environments/$(ENV).toml (ARGS are options of `sam deploy`)
	@infra/deploy.sh $(ENV) $(ARGS)

clean: ## remove what was built and fetched; data under .countersign/ stays
	cargo clean
	rm -rf .tools tests/browser/node_modules clients/widget/node_modules tests/openapi/clients/node_modules
