#!/usr/bin/env bash
# Two programs of Spark at the same time on one lab, with links shared in three ways: a logistic regression, which loses much
# with less bandwidth, and a sort, which loses little. What each takes longer than alone when nobody shares (TCP does),
# when each application has a queue and all queues the same weight, and under Saba.
#   tests/lab/versus.sh PATH-OF-BANDWISE PATH-OF-THE-PLUGIN PATH-OF-libsaba_preload.so [ROUNDS [FILE.json [TABLE]]]
# With a table of what each loses, that is not measured anew. Takes 20 minutes or so; prints what was measured and judges
# nothing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
plugin=$(realpath -m "${2:?the path of saba-spark.jar}")
library=$(realpath "${3:?the path of libsaba_preload.so}")
rounds=${4:-6}
json=$(realpath -m "${5:-/dev/null}")
given=${6:+$(realpath "$6")}

what=versus
rate=20Mbit
. "$here/made.sh"
. "$here/spark/spark.sh"
# The drivers' host has a worker too: what Sort sends passes the link that LR needs most.
starts_workers 2 1 2 3 4 || exit 1
# About 15 s each, alone.
declare -A times=([LR]=2 [Sort]=12)

for job in LR Sort; do
  mkfifo orders-$job answers-$job
done
exec 5<>orders-LR 6<>answers-LR 7<>orders-Sort 8<>answers-Sort
starts() { # JOB FROM TO
  on h1 env SPARK_LOCAL_IP=10.0.0.1 "$bandwise" saba run --app "$1" --job "$1" --controller "unix:$scratch/socket" \
    --preload "$library" -- "$home/bin/spark-submit" --master spark://10.0.0.1:7077 --driver-memory 512m \
    --executor-memory 512m --executor-cores 1 --total-executor-cores 4 --driver-class-path "$plugin" \
    --conf spark.executor.extraClassPath="$plugin" --conf spark.saba.preload="$library" \
    --conf spark.plugins=io.github.bandwise.saba.spark.SabaPlugin --conf spark.saba.app="$1" \
    --conf spark.saba.controller="unix:$scratch/socket" --conf spark.ui.enabled=false --conf spark.locality.wait=0 \
    --class Workloads workloads.jar "$1" "${times[$1]}" <&"$2" >&"$3" 2>"$1.log" &
  local line
  read -r -t 120 -u "$3" line && [ "$line" = ready ] || { tail -n 5 "$1.log" && exit 1; }
}
starts LR 5 6
starts Sort 7 8

# What each loses, which is what Saba goes by.
table=saba.toml
[ -z "$given" ] || { table=saba.${given##*.} && cp "$given" "$table"; }
for job in LR Sort; do
  [ -z "$given" ] || break
  printf '#!/usr/bin/env bash\necho run >orders-%s && read -r -t 300 line <>answers-%s && [ "$line" = "done" ]\n' $job $job >once-$job
  chmod +x once-$job
  "$bandwise" saba profile --app $job --lab "$lab" --at 25,50,100 --repeat 2 --warm-up 1 --within 100 \
    --table "$table" -- "./once-$job" >profile.log 2>&1 || { tail -n 5 profile.log && exit 1; }
  sed -n '/^  *bandwidth/,/^$/p;/^bandwidth/,/^$/p' profile.log
done
# Two that lose the same, as nearly as may be: they have a level and so a queue each, and the same weight.
cat >equal.csv <<'TABLE'
application,share,time_s
LR,1,100
LR,0.5,200
LR,0.25,400
Sort,1,100
Sort,0.5,201
Sort,0.25,404
TABLE
python3 "$here/versus.py" "$bandwise" "$lab" "$rounds" "$json" "$table"
echo end >&5
echo end >&7
