#!/bin/sh
# Runs a program of the project by its name: the entry point of the container image.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-gateway}
[ $# -eq 0 ] || shift
case "$program" in
  gateway) script=server/start.ts ;;
  relay) script=node-relay/main.ts ;;
  keygen) script=server/keygen.ts ;;
  rotate) script=server/rotate.ts ;;
  health) script=server/health.ts ;;
  *)
    echo "There is no program $program: gateway, relay, keygen, rotate and health are." >&2
    exit 1
    ;;
esac
exec node "$root/server/run.mjs" "$root/$script" "$@"
