# A thin layer over cargo and scripts/. `make` alone prints the targets.
# Honours CARGO_TARGET_DIR.
.DEFAULT_GOAL := help
.PHONY: help run install uninstall test release-test bench papers lint test-fabric test-faults test-preload test-spark test-trace test-twin test-verbs test-web fuzz sanitize clean

TARGET := $(or $(CARGO_TARGET_DIR),target)
BANDWISE := $(TARGET)/release/bandwise
# The controller, optimised in a build for tests.
CONTROLLER := profile.test.package.bandwise-controller
OPTIMISED := --config $(CONTROLLER).opt-level=2 --config $(CONTROLLER).debug-assertions=false
# Prepended to commands, so that a toolchain outside of PATH is found too.
ENVIRONMENT := . scripts/environment.sh &&

help: ## prints this list
	@awk -F ' *: *## *' '/^[a-z-]+ *:.*##/ { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## builds, runs the RPerf evaluation, writes report.html
	@scripts/setup.sh run
	@$(ENVIRONMENT) cargo build --profile quick -p bandwise-cli --no-default-features
	@$(TARGET)/quick/bandwise papers run rperf --report report.html
	@echo "The report: file://$(CURDIR)/report.html"

install: ## builds everything and installs it in PREFIX (default /usr/local), below DESTDIR if set
	@scripts/setup.sh
	@$(ENVIRONMENT) cargo build --release --bin bandwise && cargo build --profile library -p bandwise-libsaba -p bandwise-preload
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" LIBRARIES=$(TARGET)/library scripts/install.sh $(TARGET)/release

uninstall: ## removes the installed files
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh $(TARGET)/release remove

test: ## formatting, lints, all tests, documentation and its examples, pages in a browser
	@scripts/test.sh

release-test: ## installed files and the build without default features: slow checks outside of 'make test'
	@scripts/test.sh release

bench: ## speed of the simulator, the measuring loop and the controller
	@scripts/setup.sh
	@$(ENVIRONMENT) cargo build --release --bin bandwise
	@for case in five-bulk-senders irn roce-pfc measuring-loop controller-many; do $(BANDWISE) bench --case $$case || exit; echo; done
	@for case in irn roce-pfc; do $(BANDWISE) bench --case $$case --duration '100 ms' || exit; echo; done
	@if [ "$$(id -u)" = 0 ]; then $(BANDWISE) bench --case controller; else echo "SKIP controller: a lab needs root"; fi

papers: ## the evaluations of all papers, beside the published values
	@scripts/setup.sh
	@$(ENVIRONMENT) cargo build --release --bin bandwise
	@scripts/papers.sh $(BANDWISE)

lint: ## formatting, clippy, circles of files, licences and duplicates of dependencies
	@scripts/test.sh format lint clippy

test-fabric: ## ibsim and ibnetdiscover against our readers, Linux ports in a lab
	@scripts/test.sh fabric

test-faults: ## controllers under faults by a seed; for longer HOURS=N or MINUTES=N, a failed one again SEED=N
	@FAULTS="$(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(HOURS),--hours $(HOURS))" scripts/test.sh faults

test-twin: ## controllers under faults in virtual time: SEEDS=N seeds (default 10000), or one with all its events SEED=N
	@$(ENVIRONMENT) BANDWISE_TWIN_SEEDS=$(SEEDS) BANDWISE_TWIN_SEED=$(SEED) cargo test $(OPTIMISED) -p bandwise-controller \
	  --test core twin::$(if $(SEED),seed,promises_hold_under_faults_of_many_seeds) -- --ignored --nocapture

test-preload: ## real programs under the preload library, beside those without it
	@scripts/test.sh preload

test-spark: ## plugins of Spark and Flink by Maven, both in a lab
	@scripts/test.sh spark

test-trace: ## packets of simulated runs in tshark and Scapy
	@scripts/test.sh trace

test-verbs: ## RDMA programs in virtual machines with Soft-RoCE
	@scripts/test.sh verbs

test-web: ## pages in a real browser
	@scripts/test.sh web

fuzz: ## fuzzes the readers with cargo-fuzz, one minute each
	@scripts/fuzz.sh

sanitize: ## Miri and valgrind over the crates with unsafe code
	@scripts/sanitize.sh

clean: ## removes all built files
	@$(ENVIRONMENT) cargo clean
	@rm -f report.html
