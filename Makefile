# Thin, over cargo and scripts/. `make` alone says what there is.
# CARGO_TARGET_DIR is honoured where it is set.
.DEFAULT_GOAL := help
.PHONY: help run install uninstall test release-test bench papers lint test-fabric test-spark test-trace test-verbs test-web fuzz clean

TARGET := $(or $(CARGO_TARGET_DIR),target)
BANDWISE := $(TARGET)/release/bandwise
# Prepended to what a recipe runs, so that a toolchain outside of PATH is found too.
ENVIRONMENT := . scripts/environment.sh &&

help: ## this list
	@awk -F ' *: *## *' '/^[a-z-]+ *:.*##/ { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## builds, runs the RPerf paper's evaluation, leaves report.html here
	@scripts/setup.sh run
	@$(ENVIRONMENT) cargo build --profile quick -p bandwise-cli --no-default-features
	@$(TARGET)/quick/bandwise papers run rperf --report report.html
	@echo "The report: file://$(CURDIR)/report.html"

install: ## builds, and puts all of it into PREFIX (/usr/local if not set), below DESTDIR if that is set
	@scripts/setup.sh
	@$(ENVIRONMENT) cargo build --release --bin bandwise && cargo build --release -p bandwise-libsaba -p bandwise-preload
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh $(TARGET)/release

uninstall: ## takes that away again
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh $(TARGET)/release remove

test: ## formatting, clippy, all tests, documentation with its examples, pages in a browser
	@scripts/test.sh

release-test: ## installed files and the build without default features: slow checks outside of 'make test'
	@scripts/test.sh release

bench: ## packet-hops a second of the simulator, what the measuring loop costs, how long a controller takes
	@scripts/setup.sh
	@$(ENVIRONMENT) cargo build --release --bin bandwise
	@for case in five-bulk-senders irn roce-pfc measuring-loop controller-many; do $(BANDWISE) bench --case $$case || exit; echo; done
	@for case in irn roce-pfc; do $(BANDWISE) bench --case $$case --duration '100 ms' || exit; echo; done
	@if [ "$$(id -u)" = 0 ]; then $(BANDWISE) bench --case controller; else echo "SKIP controller: a lab needs root"; fi

papers: ## all papers' evaluations beside what was published
	@scripts/setup.sh
	@$(ENVIRONMENT) cargo build --release --bin bandwise
	@scripts/papers.sh $(BANDWISE)

lint: ## formatting, licences and duplicates of dependencies, clippy alone
	@scripts/test.sh format lint clippy

test-fabric: ## ibsim and ibnetdiscover against our readers, ports of Linux in a lab, alone
	@scripts/test.sh fabric

test-spark: ## plugins of Spark and Flink by Maven, and both in a lab, alone
	@scripts/test.sh spark

test-trace: ## packets of simulated runs in tshark and Scapy alone
	@scripts/test.sh trace

test-verbs: ## RDMA programs in virtual machines with Soft-RoCE alone
	@scripts/test.sh verbs

test-web: ## pages in a real browser alone
	@scripts/test.sh web

fuzz: ## the readers with cargo-fuzz, a minute each, where there are fuzz targets
	@scripts/fuzz.sh

clean: ## what was built
	@$(ENVIRONMENT) cargo clean
	@rm -f report.html
