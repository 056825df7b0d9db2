#!/usr/bin/env bash
# What a machine starts from: busybox, the modules in the order in which they are loaded, `init`.
#   tests/verbs/image.sh FOLDER
# Makes FOLDER/image from what install.sh left there, unless it is newer than all of that.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?the folder with the kernel}
PATH=$PATH:/usr/sbin:/sbin

fresh() {
  local source
  for source in "$here"/{image.sh,init,await,listening} "$folder/complete"; do
    [ "$folder/image" -nt "$source" ] || return 1
  done
}
! fresh || exit 0

# rdma_rxe asks the kernel for "crc32" by name, which is no dependency that depmod knows of. Kernels
# from 6.16 on have no such module.
modules=(virtio_pci 9p 9pnet_virtio overlay virtio_net crc32_generic rdma_rxe ib_uverbs rdma_ucm)
version=$(cat "$folder/complete")
scratch=$(mktemp -d -p "$folder")
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
mkdir -p "$root"/{bin,modules,proc,sys,dev}
install -m 755 "$folder/busybox" "$here/await" "$here/listening" "$root/bin/"
install -m 755 "$here/init" "$root/init"
for module in "${modules[@]}"; do
  modprobe -d "$folder" -S "$version" --show-depends "$module" 2>/dev/null ||
    [ "$module" = crc32_generic ]
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
  while read -r file; do
    name=$(basename "$file")
    case $name in
      *.xz) xz -dc "$file" >"$root/modules/${name%.xz}" ;;
      *) cp "$file" "$root/modules/$name" ;;
    esac
    echo "${name%.xz}"
  done >"$root/modules/order"
(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >"$scratch/image"
mv "$scratch/image" "$folder/image"
