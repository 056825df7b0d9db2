#!/bin/sh
# For `bandwise saba profile --limit`: limits what each of several hosts sends to BANDWISE_SHARE of RATE_MBIT, and takes
# that away at the end, when the share is 1.
#   HOSTS      the hosts, as ssh knows them; whoever logs in there may run tc
#   DEVICE     the device that they send by; nobody else is to have configured it
#   RATE_MBIT  what it carries, in Mbit/s
#   SSH        how a host is reached; ssh -o BatchMode=yes if not given
set -eu
: "${HOSTS:?}" "${DEVICE:?}" "${RATE_MBIT:?}" "${BANDWISE_SHARE:?}"
ssh=${SSH:-ssh -o BatchMode=yes}
kbit=$(awk "BEGIN { printf \"%d\", $RATE_MBIT * 1000 * $BANDWISE_SHARE }")
# What may be sent at once: 2 ms, in bytes, and the largest piece that a host hands to its device.
burst=$((kbit / 4 + 65536))

# What somebody else has put there stays, and the command fails.
ours="tc qdisc show dev $DEVICE root | grep -q 'htb 1:'"
case $BANDWISE_SHARE in
  1) line="! $ours || tc qdisc del dev $DEVICE root" ;;
  *) line="{ $ours || tc qdisc add dev $DEVICE root handle 1: htb default 1; } &&
      tc class replace dev $DEVICE parent 1: classid 1:1 htb rate ${kbit}kbit burst ${burst}b cburst ${burst}b quantum 65536" ;;
esac
# All at once; one that fails is all.
waiting=
for host in $HOSTS; do
  $ssh "$host" "$line" &
  waiting="$waiting $!"
done
failed=0
for one in $waiting; do
  wait "$one" || failed=1
done
exit $failed
