# shellcheck shell=bash
# To be sourced after made.sh, with the path of the plugin in $plugin. Provides Spark from PyPI in target/spark, a lab
# of four hosts, and workloads.jar.
[ -e "$plugin" ] || skip "there is no $plugin: tests/integrations/run.sh builds it"
command -v javac >/dev/null || skip "there is no JDK (Debian: openjdk-17-jdk-headless)"
cache=$(realpath -m "${CARGO_TARGET_DIR:-$here/../../target}")/spark
home=$cache/pyspark-3.5.9/deps
if [ ! -d "$home/jars" ]; then
  command -v pip >/dev/null || skip "pip is not installed (Debian: python3-pip)"
  echo "Fetching Spark 3.5.9 with pip, 300 MB."
  mkdir -p "$cache"
  pip download -q --require-hashes --no-deps --no-binary :all: -d "$cache" -r "$here/spark/requirements.txt" \
    >"$scratch/out" 2>&1 || skip "pip could not fetch pyspark: $(tail -n 1 "$scratch/out")"
  # A partially unpacked folder has another name.
  mkdir -p "$cache/part" && tar -xzf "$cache/pyspark-3.5.9.tar.gz" -C "$cache/part" &&
    mv "$cache/part/pyspark-3.5.9" "$cache" && rm "$cache/pyspark-3.5.9.tar.gz"
fi

. "$here/cluster.sh"
environment=(SPARK_HOME="$home" SPARK_LOCAL_DIRS="$scratch/local" SPARK_DAEMON_MEMORY=256m)
javac -d classes -cp "$home/jars/*" "$here/spark/"*.java && jar cf workloads.jar -C classes . || exit 1

# Starts a master on h1, and a worker on each other host or on the named ones.
starts_workers() { # CORES [HOST …]
  local cores=$1 n
  shift
  [ $# -gt 0 ] || set -- 2 3 4
  local workers=$#
  on h1 env SPARK_LOCAL_IP=10.0.0.1 "$home/bin/spark-class" org.apache.spark.deploy.master.Master --host 10.0.0.1 --port 7077 --webui-port 8080 \
    >master.log 2>&1 &
  for n in "$@"; do
    on h$n env SPARK_LOCAL_IP=10.0.0.$n "$home/bin/spark-class" org.apache.spark.deploy.worker.Worker --host 10.0.0.$n --cores "$cores" --memory 1g \
      --work-dir "$scratch/work" spark://10.0.0.1:7077 >"worker$n.log" 2>&1 &
  done
  waits 60 eval "[ \"\$(grep -c 'Registering worker' master.log)\" = $workers ]"
}
