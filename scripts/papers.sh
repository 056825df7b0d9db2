#!/usr/bin/env bash
# Runs every paper: scripts/papers.sh path/to/bandwise. Leaves one report per paper in the target folder.
set -euo pipefail
cd "$(dirname "$0")/.."
bandwise=${1:?the bandwise binary}
folder=$(dirname "$bandwise")/../papers
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

"$bandwise" papers list | sed -n 's/^\([a-z0-9-]*\): .*/\1/p' | while read -r paper; do
  "$bandwise" papers run "$paper" --report "$folder/$paper.html" --json "$folder/$paper.json" \
    </dev/null
done
