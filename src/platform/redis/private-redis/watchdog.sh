#!/bin/sh
# Stops a private Redis once none of the processes registered in ./users lives: run in its folder as
# `watchdog.sh REDIS_PID REDIS_STARTED`. Ends with that Redis. Needs nothing but a POSIX shell and sleep.
redis=$1
redis_started=$2
proc=
[ -r "/proc/$$/stat" ] && proc=1

alive() { # PID STARTED: whether exactly this process still runs
  [ -n "$proc" ] || { kill -0 "$1" 2>/dev/null; return; }
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  # shellcheck disable=SC2086 # splitting into fields is meant
  set -- "$2" ${stat##*) }
  case $2 in Z | X) return 1 ;; esac
  [ -z "$1" ] || [ "$1" = "${21}" ]
}

somebody_lives() {
  for file in users/*; do
    { read -r started <"$file"; } 2>/dev/null || continue
    name=${file##*/}
    alive "${name%%-*}" "$started" && return 0
  done
  return 1
}

unused=0
while alive "$redis" "$redis_started"; do
  if somebody_lives; then unused=0; else unused=$((unused + 1)); fi
  case $unused in
    2) kill -TERM "$redis" ;;
    5) kill -KILL "$redis" ;;
  esac
  sleep 2
done
