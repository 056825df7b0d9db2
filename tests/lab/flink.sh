#!/usr/bin/env bash
# Flink under Saba in a lab: a JobManager and three TaskManagers on four hosts. Checks the controller's view of the
# cluster during a shuffle, after a TaskManager was killed, and after the end; and marks on the wire.
#   tests/lab/flink.sh PATH-OF-BANDWISE FOLDER [PATH-OF-libsaba_preload.so]
# FOLDER is integrations/flink/target, as built by Maven: the jar, and `classpath`, which locates Flink. Prints a line
# that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
built=$(realpath -m "${2:?the folder with the shuffle service}")
library=${3:+$(realpath "$3")}

what=flink
. "$here/made.sh"
[ -e "$built/classpath" ] || skip "$built/classpath is missing: tests/integrations/run.sh creates it"
. "$here/cluster.sh"
flink=$(cat "$built/classpath")
mkdir conf
cat >conf/config.yaml <<CONFIG
jobmanager.rpc.address: 10.0.0.1
jobmanager.memory.process.size: 700m
rest.address: 10.0.0.1
rest.bind-address: 10.0.0.1
taskmanager.numberOfTaskSlots: 1
taskmanager.cpu.cores: 1
# Values that Flink's own script computes.
taskmanager.memory.framework.heap.size: 64m
taskmanager.memory.framework.off-heap.size: 64m
taskmanager.memory.task.heap.size: 128m
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.network.min: 32m
taskmanager.memory.network.max: 32m
taskmanager.memory.managed.size: 16m
taskmanager.memory.jvm-metaspace.size: 128m
taskmanager.memory.jvm-overhead.min: 64m
taskmanager.memory.jvm-overhead.max: 64m
shuffle-service-factory.class: io.github.bandwise.saba.flink.SabaShuffleServiceFactory
saba.app: Sort
saba.job: nightly
taskmanager.data.port: 7200
saba.controller: unix:$scratch/socket
CONFIG
javac -d classes -cp "$flink" "$here/flink/Stream.java" || exit 1
printf 'application,share,time_s\nSort,1,100\nSort,0.5,110\nSort,0.25,131\n' >table.csv
table=table.csv

java_on() { # HOST CLASS ARGUMENT …
  local host=$1
  shift
  on "$host" java -Xmx300m --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED \
    -cp "$(ls "$built"/saba-flink-*.jar):$scratch/classes:$flink" "$@"
}
cluster() {
  java_on h1 org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint --configDir conf >master.log 2>&1 &
  for n in 2 3 4; do
    java_on h$n org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir conf \
      -D taskmanager.host=10.0.0.$n >"worker$n.log" 2>&1 &
  done
}
cluster_is_one_application() { cluster && waits 60 has parts 4 && has names Sort; }
shuffle_connects_all_hosts() {
  waits 60 java_on h1 Stream 10.0.0.1 && waits 60 all_pairs && echo "  $(cat pairs)" && [ "$(wc -w <pairs)" = 6 ]
}
# Shuffle traffic between the hosts at h2, by address and DSCP, in the file `bytes`.
shuffled() { on h2 python3 "$here/carried.py" 7200 3 | grep -v watching >bytes && sed 's/^/  /; s/ \([0-9]*\) \([0-9]*\)$/ sends \2 bytes with DSCP \1/' bytes; }
shuffle_is_unmarked_without_preload() { shuffled && [ "$(awk '$2 == 0 && $3 > 100000' bytes | wc -l)" = 3 ] && [ "$(wc -l <bytes)" = 3 ]; }
killed_task_manager_expires() {
  client pairs | finds h4- && kill -9 "$(process h4 TaskManagerRunner)" && waits 20 eval '! client pairs | finds h4-' && has names Sort
}
ended_cluster_is_removed() {
  # shellcheck disable=SC2046
  kill $(process h1 Entrypoint) $(process h2 TaskManagerRunner) $(process h3 TaskManagerRunner) &&
    waits 30 has names && waits 10 has pairs
}
# All its processes load the library, which reports their connections.
shuffle_is_marked_under_preload() {
  [ -n "$library" ] || { echo "SKIP flink: no preload library was given, so TaskManagers are not run with it" && return; }
  local dscp
  environment=(SABA_APP=Sort SABA_JOB=nightly SABA_CONTROLLER="unix:$scratch/socket")
  dscp=$(on h1 "$bandwise" saba run --app Sort --preload "$library" -- printenv SABA_MARK 2>/dev/null | sed 's/.*dscp=\([0-9]*\).*/\1/') || return 1
  environment+=(LD_PRELOAD="$library")
  cluster
  waits 60 java_on h1 Stream 10.0.0.1 && waits 60 all_pairs && shuffled && has names Sort &&
    [ "$(awk -v dscp="$dscp" '$2 == dscp && $3 > 100000' bytes | wc -l)" = 3 ] && [ "$(wc -l <bytes)" = 3 ]
}
count controller_starts cluster_is_one_application shuffle_connects_all_hosts shuffle_is_unmarked_without_preload \
  killed_task_manager_expires ended_cluster_is_removed shuffle_is_marked_under_preload
