#!/usr/bin/env bash
# Installs the built files, or removes them:
#   scripts/install.sh CARGO-FOLDER [remove]
# PREFIX is the destination (/usr/local if not set). DESTDIR is a staging root, as package builds use it. LIBRARIES is the
# folder with the libraries (CARGO-FOLDER if not set).
set -euo pipefail
built=$(realpath -m "${1:?the folder with what was built, such as target/release}")
libraries=$(realpath -m "${LIBRARIES:-$built}")
what=${2:-put}
case $what in put | remove) ;; *) echo "install.sh: no '$what' (allowed: remove, or nothing)" >&2 && exit 2 ;; esac
cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
case $prefix in /*) ;; *) echo "install.sh: PREFIX is $prefix (allowed: a path from / on)" >&2 && exit 2 ;; esac
to=${DESTDIR:-}$prefix
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# Mode, source and destination of each file.
files() {
  cat <<FILES
755|$built/bandwise|$to/bin/bandwise
644|$libraries/libsaba.so|$to/lib/libsaba.so
644|$libraries/libsaba.a|$to/lib/libsaba.a
644|$libraries/libsaba_preload.so|$to/lib/bandwise/libsaba_preload.so
644|crates/libsaba/saba.h|$to/include/saba.h
644|$made/saba.pc|$to/lib/pkgconfig/saba.pc
644|crates/libsaba/man/saba.3|$to/share/man/man3/saba.3
644|crates/libsaba/examples/sender.c|$to/share/doc/bandwise/examples/sender.c
644|LICENSE-APACHE|$to/share/doc/bandwise/LICENSE-APACHE
644|LICENSE-MIT|$to/share/doc/bandwise/LICENSE-MIT
644|$made/bandwise.bash|$to/share/bash-completion/completions/bandwise
644|$made/_bandwise|$to/share/zsh/site-functions/_bandwise
644|$made/bandwise.fish|$to/share/fish/vendor_completions.d/bandwise.fish
644|$made/bandwise-controller.service|$to/lib/systemd/system/bandwise-controller.service
FILES
}

if [ "$what" = remove ]; then
  files | while IFS='|' read -r _ _ file; do rm -f "$file"; done
  # Folders used by no other package.
  for folder in lib/bandwise share/doc/bandwise/examples share/doc/bandwise; do
    rmdir "$to/$folder" 2>/dev/null || true
  done
  exit
fi
for file in "$built/bandwise" "$libraries"/libsaba{.so,.a,_preload.so}; do
  [ -f "$file" ] || { echo "install.sh: $file is missing: 'make install' builds it" >&2 && exit 1; }
done
sed "s|@prefix@|$prefix|; s|@version@|$version|" crates/libsaba/saba.pc.in >"$made/saba.pc"
sed "s|^ExecStart=/usr/|ExecStart=$prefix/|" packaging/systemd/bandwise-controller.service >"$made/bandwise-controller.service"
"$built/bandwise" completions bash >"$made/bandwise.bash"
"$built/bandwise" completions zsh >"$made/_bandwise"
"$built/bandwise" completions fish >"$made/bandwise.fish"
# A file is replaced whole or not at all, since install creates it anew.
files | while IFS='|' read -r mode from file; do install -D -m "$mode" "$from" "$file"; done
echo "In $to: bandwise, libsaba, the preload library of 'bandwise saba run', completions, a systemd unit."
[ -n "${DESTDIR:-}" ] || ! command -v ldconfig >/dev/null || ldconfig 2>/dev/null || true
