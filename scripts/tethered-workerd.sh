#!/bin/sh
# Runs the edge runtime so that it ends with the process that started it, even when that is killed.
exec /usr/bin/setpriv --pdeathsig=TERM -- "$TETHERED_WORKERD" "$@"
