#!/usr/bin/env bash
# Installs the bench's requirements: host programs, by apt-get if they are missing, and a kernel and a busybox that are
# unpacked into a folder only.
#   tests/verbs/install.sh FOLDER
# Leaves `kernel`, `busybox` and `lib/modules` there, and `complete` with the kernel's version. If something is
# unavailable, prints one line on standard error and exits with 3.
set -euo pipefail
folder=${1:?the folder for the kernel}

cannot() {
  echo "$1" >&2
  exit 3
}
PATH=$PATH:/usr/sbin:/sbin
[ "$(uname -sm)" = "Linux x86_64" ] || cannot "the bench's machines run on Linux on x86_64 alone"
# The measuring programs run in the machines, whose root is the host's.
. "$(dirname "$0")/../packages.sh"
packages verbs || cannot "$cause"
qemu-system-x86_64 -display none -netdev help 2>/dev/null | grep -qx stream ||
  cannot "qemu-system-x86_64 is older than 7.2 and can't join machines by streams"

mkdir -p "$folder"
# Another run may be installing.
exec 9>"$folder/lock"
flock 9
[ ! -e "$folder/complete" ] || exit 0
command -v apt-get >/dev/null || cannot "there is no apt-get to download a kernel with"
command -v dpkg-deb >/dev/null || cannot "there is no dpkg-deb to unpack a kernel with"
kernel=$(apt-cache depends linux-image-amd64 2>/dev/null |
  sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
[ -n "$kernel" ] || cannot "apt-get knows no package linux-image-amd64, which has Debian's kernel"

scratch=$(mktemp -d -p "$folder")
trap 'rm -rf "$scratch"' EXIT
echo "Downloading $kernel and busybox-static with apt-get, for virtual machines alone."
(
  cd "$scratch"
  apt-get download "$kernel" busybox-static >/dev/null 2>&1 ||
    { apt-get update && apt-get download "$kernel" busybox-static; } >/dev/null 2>&1
) || cannot "apt-get could not download $kernel and busybox-static"
unpack() { # NAME PATTERN...
  dpkg-deb --fsys-tarfile "$scratch/$1"_*.deb | tar -x -C "$scratch" --wildcards "${@:2}" ||
    cannot "$1 can't be unpacked"
}
# Only the module folders that a network needs, out of 400 MB.
unpack busybox-static '*/bin/busybox'
unpack "$kernel" '*/boot/vmlinuz-*' '*/modules.*' '*/kernel/crypto/*' '*/kernel/fs/*' \
  '*/kernel/lib/*' '*/kernel/net/*' '*/drivers/infiniband/*' '*/drivers/net/*' '*/drivers/virtio/*'
# Newer systems have all of this in usr.
[ ! -d "$scratch/usr" ] || cp -rlT "$scratch/usr" "$scratch"
packed=$(echo "$scratch"/boot/vmlinuz-*)
version=$(basename "$packed" | cut -d - -f 2-)
depmod -b "$scratch" "$version"

# The kernel is compressed, and a machine without hardware virtualisation takes 3 s to unpack it, so it is unpacked once
# here. The header locates the packed part (Documentation/x86/boot.rst: setup_sects, payload_offset, payload_length);
# the length's last 4 bytes are not part of the xz stream.
field() { od -An -t "u$2" -j "$1" -N "$2" "$packed" | tr -d ' '; } # OFFSET BYTES
from=$((($(field 0x1f1 1) + 1) * 512 + $(field 0x248 4)))
length=$(($(field 0x24c 4) - 4))
head -c "$((from + length))" "$packed" | tail -c "$length" | xz -dc >"$scratch/kernel" 2>/dev/null ||
  cp "$packed" "$scratch/kernel"

rm -rf "${folder:?}/lib"
mv "$scratch/lib" "$scratch/bin/busybox" "$scratch/kernel" "$folder/"
echo "$version" >"$folder/complete"
