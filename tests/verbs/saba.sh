# shellcheck shell=bash disable=SC2154,SC2016 # Part of run.sh, which has the variables; those in quotes are the machines'.
# Unmodified programs under `bandwise saba run`: the marks of their RoCE packets, and the controller's view. Machine 1
# has the controller, with a network in memory, the packet watcher, and the servers (application PR). Machine 2 has the
# clients (application LR).
saba=$scratch/saba
mkdir "$saba"

cp "$here/../../docs/examples/controller/table.csv" "$saba"
token=echo-of-the-bench
cat >"$saba/controller.toml" <<TOML
table = "table.csv"
store = "/run/store"
listen = "unix:/run/controller.sock"
[times]
lease = "5 s"
# Addresses of the machines, derived by the kernel from those of their devices.
[hosts]
h0 = ["10.0.0.1", "fe80::5054:ff:fe00:1"]
h1 = ["10.0.0.2", "fe80::5054:ff:fe00:2"]
[simulated.fabric]
build = { single-switch = 2 }
link = { rate = "100 Gbps" }
[remote]
listen = "10.0.0.1:7470"
tokens-in-the-clear = true
[[credential]]
name = "bench"
token-sha256 = "$(printf %s "$token" | sha256sum | cut -d ' ' -f 1)"
applications = ["*"]
TOML

under="$preamble
  (umask 077; printf %s '$token' >/run/token)
  export SABA_CONTROLLER=http://10.0.0.1:7470 SABA_TOKEN_FILE=/run/token SABA_HOST=h\$((MACHINE - 1)) SABA_PRELOAD=$library"
as_pr="$bandwise saba run --app PR --"
as_lr="$bandwise saba run --app LR --"
server="$under
  python3 $here/wire.py wire >watching 2>&1 & watches=\$!
  $bandwise saba controller --config controller.toml >controller 2>&1 & controls=\$!
  await 10.0.0.1 7470 || exit
  $as_pr $bandwise rperf server --listen 0.0.0.0 >server 2>&1 & serves=\$!"
# Number of connections of each machine known to the controller, read without an external program, which would take a
# second to start.
client="$under
  known() {
    exec 3<>/dev/tcp/10.0.0.1/7470
    printf 'GET /v1/connections HTTP/1.1\r\nHost: c\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n' '$token' >&3
    local output from
    output=\$(cat <&3)
    exec 3>&-
    for from in h0 h1; do
      local rest=\${output//\\\"from\\\":\\\"\$from\\\"/}
      echo -n \"\$(((\${#output} - \${#rest}) / 11)) \"
    done
    echo
  }
  watched() { # NAME COMMAND...: logs the known connections during a run and after it
    echo \$1 >/dev/udp/10.0.0.1/4790
    step \"\$@\" & local runs=\$!
    while kill -0 \$runs 2>/dev/null; do known >>\$1.known; done
    for _ in {1..20}; do
      known >\$1.after
      ! grep -qx '0 0 ' \$1.after || break
      sleep 0.5
    done
  }
  until grep -qs . watching; do sleep 0.1; done
  await 10.0.0.1 7470 || exit"
beside() { # NAME SERVER CLIENT, with PORT where the port goes
  server+=$'\n'"step $1 ${2//PORT/$port}"
  client+=$'\n'"await 10.0.0.1 $port || exit; watched $1 ${3//PORT/$port}"
  port=$((port + 1))
}
both_as() { # NAME PROGRAM OPTIONS: the client has the server's address besides
  beside "$1" "$as_pr $2 -F -d rxe0 -p PORT $3" "$as_lr $2 -F -d rxe0 -p PORT $3 10.0.0.1"
}
both_as send-bw ib_send_bw "-x 1 -D 2"
both_as write-lat ib_write_lat "-x 0 -n 1000"
both_as send-ud ib_send_lat "-x 1 -n 1000 -c UD"
beside rping "$as_pr rping -s -p PORT -C 400" "$as_lr rping -c -a 10.0.0.1 -p PORT -C 400"
# It has a port of its own.
server+=$'\n'"step udaddy $as_pr udaddy -C 100"
client+=$'\n'"await 10.0.0.1 7174 || exit; watched udaddy $as_lr udaddy -s 10.0.0.1 -C 100"
# Our program looks up functions of libibverbs itself.
client+=$'\n'"await 10.0.0.1 18516 || exit; watched rperf $as_lr $bandwise rperf client 10.0.0.1 -n 1000"
beside alone "ib_write_lat -F -d rxe0 -x 1 -p PORT -n 50" "ib_write_lat -F -d rxe0 -x 1 -p PORT -n 50 10.0.0.1"
server+=$'\nexport SABA_CONTROLLER=unix:/run/nobody'
client+=$'\nexport SABA_CONTROLLER=unix:/run/nobody'
both_as nobody ib_write_lat "-x 1 -n 50"
server+="
  wait \$watches
  kill \$controls \$serves
  wait"
client+="
  echo end >/dev/udp/10.0.0.1/4790"
status=0
"$here/lab.sh" --seconds 120 --folder "$saba" "$server" "$client" >"$scratch/bench" 2>&1 || status=$?
[ "$status" = 0 ] || miss "saba: the bench ended with $status" "$scratch/bench" "$saba"/{watching,controller,server}

# The TOS byte of an application's mark, as printed by `saba run`.
class() { # MACHINE
  local dscp
  dscp=$(sed -n 's/^saba: .* has the mark .*dscp=\([0-9]*\).*/\1/p' "$saba/$1.send-bw" 2>/dev/null || true)
  echo $((4 * ${dscp:-0}))
}
# Number of packets sent by each machine in a step, if all of its queue pairs had this byte.
carried() { # NAME BYTE-OF-1 BYTE-OF-2
  awk -v step="$1" -v first="$2" -v second="$3" '
    $1 == step && $6 == "data" {
      from = substr($2, length($2))
      sent[from] += $3
      if ($4 != (from == 1 ? first : second)) wrong += $3
    }
    END { if (sent[1] && sent[2] && !wrong) print sent[1], "and", sent[2] }' "$saba/wire"
}
# Passes when both sides succeeded, their packets had these bytes, and the controller knew that many connections of
# each machine, and none in the end.
on_the_wire() { # NAME WHAT BYTE-OF-1 BYTE-OF-2 CONNECTIONS, or none where it may end before the controller knows it
  local packets most
  # The server of rping destroys its event channel while its own thread may wait there, which then ends the process.
  if [ "$1 $(cat "$saba/1.$1.status" 2>/dev/null)" = "rping 255" ] &&
    grep -qs 'rdma_get_cm_event: Bad file descriptor' "$saba/1.rping"; then echo 0 >"$saba/1.rping.status"; fi
  most=$(sort -n "$saba/$1.known" 2>/dev/null | tail -n 1)
  packets=$(carried "$1" "$3" "$4" 2>/dev/null || true)
  if [ -n "$packets" ] && [ "$(cat "$saba"/[12]."$1".status 2>/dev/null | sort -u)" = 0 ] &&
    { [ "$most" = "${5:+$5 $5 }" ] || [ -z "$5" ]; } && grep -qx '0 0 ' "$saba/$1.after"; then
    pass "saba, $2: $packets packets with $3 and $4${5:+, $5 connections each}"
  else
    miss "saba, $2: with $3 and $4" "$saba"/[12]."$1"* "$saba/$1".* <(grep "^$1 " "$saba/wire" 2>&1)
  fi
}
servers=$(class 1)
clients=$(class 2)
if [ "$servers" != 0 ] && [ "$clients" != 0 ] && [ "$servers" != "$clients" ]; then
  # A queue pair, and the stream used by perftest and by us for its set-up; with datagrams, an address handle.
  on_the_wire send-bw "ib_send_bw" "$servers" "$clients" 2
  on_the_wire write-lat "ib_write_lat over IPv6" "$servers" "$clients" 2
  on_the_wire send-ud "ib_send_lat by datagrams" "$servers" "$clients" 2
  on_the_wire udaddy "datagrams by RDMA-CM" "$servers" "$clients" ""
  on_the_wire rping "rping" "$servers" "$clients" 1
  on_the_wire rperf "bandwise rperf" "$servers" "$clients" 2
  on_the_wire alone "a program without it" 0 0 0
  on_the_wire nobody "without a controller" 0 0 0
  if grep -q 'no controller answers' "$saba/2.nobody"; then
    pass "saba, without a controller: says so"
  else
    miss "saba, without a controller" "$saba/2.nobody"
  fi
else
  miss "saba: the marks are '$servers' and '$clients'" "$saba"/[12].send-bw "$saba/controller"
fi
