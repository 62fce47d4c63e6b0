#!/bin/sh
# Runs the edge runtime so that it ends with the process that started it, even when that is killed.
# What is typed at the terminal reaches the gateway alone.
trap '' INT HUP
if [ -n "$WORKERD_INNER_PATH" ]; then
  set -- /usr/bin/perl "$(dirname "$0")/kept-workerd.pl" "$TETHERED_WORKERD" "$@"
elif [ -n "$WORKERD_SOCKET" ]; then
  set -- /usr/bin/perl "$(dirname "$0")/listening-workerd.pl" "$TETHERED_WORKERD" "$@"
else
  set -- "$TETHERED_WORKERD" "$@"
fi
exec /usr/bin/setpriv --pdeathsig=KILL -- "$@"
