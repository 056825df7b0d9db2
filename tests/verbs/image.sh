#!/usr/bin/env bash
# Builds the initial RAM disk of a machine: busybox, the modules in load order, `init`.
#   tests/verbs/image.sh FOLDER FILE
# Creates FILE from the output of install.sh in FOLDER, and FILE.root with its content.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?the folder with the kernel}
file=${2:?the file to make}
PATH=$PATH:/usr/sbin:/sbin

modules=(virtio_pci 9p 9pnet_virtio overlay virtio_net rdma_rxe ib_uverbs rdma_ucm)
# rdma_rxe requests "crc32" from the kernel by name, a dependency unknown to depmod. Newer kernels have no such module,
# and need none.
[ -z "$(find "$folder/lib" -name 'crc32_generic.ko*')" ] || modules=(crc32_generic "${modules[@]}")
version=$(cat "$folder/complete")
root=$file.root
mkdir -p "$root"/{bin,modules,proc,sys,dev}
install -m 755 "$folder/busybox" "$here/await" "$here/listening" "$root/bin/"
install -m 755 "$here/init" "$root/init"
for module in "${modules[@]}"; do
  modprobe -d "$folder" -S "$version" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
  while read -r path; do
    name=$(basename "$path")
    case $name in
      *.xz) xz -dc "$path" >"$root/modules/${name%.xz}" ;;
      *) cp "$path" "$root/modules/$name" ;;
    esac
    echo "${name%.xz}"
  done >"$root/modules/order"
(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >"$file"
