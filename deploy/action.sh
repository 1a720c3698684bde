#!/usr/bin/env bash
# Runs whocrawls for action.yml: scans logs or checks a robots.txt. The variables INPUT_… have its inputs.
set -euo pipefail

if [[ (-n $INPUT_LOG && -n $INPUT_ROBOTS) || -z $INPUT_LOG$INPUT_ROBOTS ]]; then
  echo "whocrawls: Give one of the inputs log and robots."
  exit 2
elif [[ -n $INPUT_LOG ]]; then
  command=(scan "--format=$INPUT_FORMAT")
  [[ $INPUT_FULL != true ]] || command+=(--full)
  command+=(--)
  while IFS= read -r log; do [[ -z $log ]] || command+=("$log"); done <<<"$INPUT_LOG"
else
  command=(robots ${INPUT_EXPECT:+"--expect=$INPUT_EXPECT"} -- "$INPUT_ROBOTS")
fi

# Anyone can send a user agent that the runner would read as a command, such as ::add-mask::. One stream keeps the order.
exec 2>&1
token=$(od -An -N16 -tx8 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
trap 'echo "::$token::"' EXIT
whocrawls() { node "$GITHUB_ACTION_PATH/dist/cli.js" "${command[@]}"; }
if [[ -n $INPUT_OUTPUT ]]; then whocrawls >"$INPUT_OUTPUT"; else whocrawls; fi
