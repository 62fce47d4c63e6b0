#!/usr/bin/env bash
# Installs a Python that fuzzing can use where there is none and there is apt-get.
set -euo pipefail
python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && exit 0
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -n)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q
"${as_root[@]}" apt-get install -yq --no-install-recommends python3 python3-venv
