# shellcheck shell=sh
# To be sourced: adds rustup's toolchain to PATH in shells that lack it.
if ! command -v cargo >/dev/null 2>&1 && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
  PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  export PATH
fi
# Commands of cargo that scripts/setup.sh installs.
TOOLS=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools")
export PATH="$PATH:$TOOLS/bin" TOOLS
