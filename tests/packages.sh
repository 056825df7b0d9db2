#!/usr/bin/env bash
# Debian packages of the checks.
#   . tests/packages.sh
#   packages NAME     installs what the check NAME needs and lacks; returns 1 if it can't, with the cause in $cause
#   tests/packages.sh NAME …    run as a program, does so for several checks in one go

# For each check PROGRAM:PACKAGE, or a pattern of files in place of the program.
declare -A packages_of=(
  [fabric]="ibsim:ibsim-utils ibnetdiscover:infiniband-diags"
  [ib]="ibsim:ibsim-utils smpquery:infiniband-diags opensm:opensm /usr/lib/*/libibumad.so.3:libibumad3 python3:python3"
  [lab]="tc:iproute2 ip:iproute2 python3:python3 strace:strace"
  [programs]="curl:curl cc:gcc iperf3:iperf3 nginx:nginx-light redis-server:redis-server redis-benchmark:redis-tools
    musl-gcc:musl-tools /usr/include/liburing.h:liburing-dev mpirun:openmpi-bin mpicc:libopenmpi-dev"
  [etcd]="etcd:etcd-server etcdctl:etcd-client"
  [faults]="/usr/lib/*/faketime/libfaketime.so.1:libfaketime"
  [integrations]="javac:openjdk-17-jdk-headless mvn:maven"
  [spark]="nft:nftables"
  [trace]="tshark:tshark /usr/lib/python3/dist-packages/scapy/contrib/roce.py:python3-scapy"
  [verbs]="qemu-system-x86_64:qemu-system-x86 cc:gcc /usr/include/stdio.h:libc6-dev cpio:cpio xz:xz-utils depmod:kmod
    rdma:iproute2 ibv_devinfo:ibverbs-utils rping:rdmacm-utils ib_send_lat:perftest qperf:qperf
    /usr/lib/*/libibverbs/librxe*.so:ibverbs-providers"
  [web]="python3:python3 chromium:chromium"
)

# Prints the missing packages of checks.
lacking() { # NAME …
  local name entry
  for name in "$@"; do
    set -f
    # shellcheck disable=SC2086 # A list of words.
    set -- ${packages_of[$name]}
    set +f
    for entry in "$@"; do
      case $entry in
        /*) compgen -G "${entry%:*}" >/dev/null ;;
        *) PATH=$PATH:/usr/sbin:/sbin command -v "${entry%:*}" >/dev/null ;;
      esac || echo "${entry##*:}"
    done
  done | sort -u
}

packages() { # NAME …
  local missing
  mapfile -t missing < <(lacking "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  cause="not installed: ${missing[*]}"
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" = 0 ] || { cause+=", and only root can install packages"; return 1; }
  # Debian's opensm would manage an existing fabric. With RUNLEVEL=1 no package starts a service.
  case "${missing[*]}" in
    *opensm*) [ ! -e /sys/class/infiniband ] || { cause+=", and this machine has a fabric of its own"; return 1; } ;;
  esac
  echo "Installing ${missing[*]} with apt-get."
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"; } \
    >/dev/null 2>&1 </dev/null || { cause="apt-get could not install ${missing[*]}"; return 1; }
  mapfile -t missing < <(lacking "$@")
  [ ${#missing[@]} = 0 ] || { cause="${missing[*]} was installed and has not what is needed"; return 1; }
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  packages "$@" || { echo "packages: $cause" >&2; exit 1; }
fi
