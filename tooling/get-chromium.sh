#!/usr/bin/env bash
# Installs a Chromium for tests where tooling/chromium.ts would find none and there is apt-get.
set -euo pipefail
[ -z "${TEST_CHROMIUM:-}" ] || exit 0
for place in /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
  [ ! -x "$place" ] || exit 0
done
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -n)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q
"${as_root[@]}" apt-get install -yq --no-install-recommends chromium
