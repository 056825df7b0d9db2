#!/usr/bin/env bash
# Compares policies for two Spark programs on one lab (`bandwise saba compare`): a logistic regression, which is
# sensitive to bandwidth, and a batch of sorts, which is less sensitive, takes several times as long, and fetches over
# several connections.
#   tests/lab/versus.sh PATH-OF-BANDWISE PATH-OF-THE-PLUGIN PATH-OF-libsaba_preload.so [ROUNDS [FOLDER [COMPARE-FLAGS]]]
# Takes 6 minutes per round, and prints measurements without a verdict. Files are kept in FOLDER, if given. An existing
# table.toml there has both sensitivities; otherwise they are measured first. `--seed 2` runs a second comparison in
# another order.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
plugin=$(realpath -m "${2:?the path of saba-spark.jar}")
library=$(realpath "${3:?the path of libsaba_preload.so}")
rounds=${4:-6}
folder=${5:+$(realpath -m "$5")}
flags=("${@:6}")

what=versus
rate=20Mbit
. "$here/made.sh"
. "$here/spark/spark.sh"
folder=${folder:-$scratch}
mkdir -p "$folder"
table=$folder/table.toml
# The driver's host has a worker too, so Sort's traffic crosses the link that LR needs most.
starts_workers 2 1 2 3 4 || exit 1
# Size of a job, number of runs, and connections to each other executor.
declare -A times=([LR]=2 [Sort]=3) runs=([LR]=1 [Sort]=14) connections=([LR]=1 [Sort]=16)

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
    --conf spark.shuffle.io.numConnectionsPerPeer="${connections[$1]}" \
    --class Workloads workloads.jar "$1" "${times[$1]}" <&"$2" >&"$3" 2>"$1.log" &
  local line
  read -r -t 120 -u "$3" line && [ "$line" = ready ] || { tail -n 5 "$1.log" && exit 1; }
}
starts LR 5 6
starts Sort 7 8

# Requests that many runs of a started job, one after the other.
cat >order <<'ORDER'
#!/usr/bin/env bash
for _ in $(seq "$2"); do
  echo run >"orders-$1" && read -r -t 600 line <>"answers-$1" && [ "$line" = "done" ] || exit 1
done
ORDER
# The controller knows all connections made before it started.
printf '#!/usr/bin/env bash\nexec python3 %q %q known LR Sort 6\n' "$here/client.py" "$scratch/socket" >known
chmod +x order known

# The sensitivities that Saba uses.
for job in LR Sort; do
  grep -qs "\"$job\"" "$table" && continue
  "$bandwise" saba profile --app $job --lab "$lab" --at 25,50,100 --repeat 2 --warmup 1 --within 100 \
    --table "$table" -- ./order $job 1 >profile.log 2>&1 || { tail -n 5 profile.log && exit 1; }
  sed -n '/^  *bandwidth/,/^$/p;/^bandwidth/,/^$/p' profile.log
done
cat >controller.toml <<SETTINGS
lab = "$lab"
table = "$table"
store = "store"
listen = "unix:socket"
audit = "$folder/audit.jsonl"
SETTINGS
"$bandwise" saba compare --config controller.toml --rounds "$rounds" "${flags[@]}" --ready ./known --output "$folder/compare.out" \
  --json "$folder/compare.json" --report "$folder/compare.html" \
  --app "LR=./order LR ${runs[LR]}" --app "Sort=./order Sort ${runs[Sort]}"
echo end >&5
echo end >&7
