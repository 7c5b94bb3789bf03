#!/bin/sh
# Installs redis-server (or else valkey-server) with apt-get and keeps the package from starting or enabling a service:
# the program is wanted, not a Redis on port 6379. Needs root on Debian or a relative of it. Safe to run at once from
# several processes and again after being killed.
set -u
export DEBIAN_FRONTEND=noninteractive

exec 9>/var/lib/dpkg/media-buy-agent-redis.lock
flock 9

present() { command -v redis-server >/dev/null || command -v valkey-server >/dev/null; }
present && exit 0

policy=/usr/sbin/policy-rc.d
saved=$policy.before-media-buy-agent
ours='# media-buy-agent: no service starts during this installation'

forbids_start() { [ -x "$policy" ] && { "$policy" redis-server start >/dev/null 2>&1; [ $? -eq 101 ]; }; }
is_ours() { grep -qsF "$ours" "$policy"; }
restore() {
  is_ours || return 0
  rm -f "$policy"
  [ ! -e "$saved" ] || mv "$saved" "$policy"
}
trap restore EXIT
trap 'exit 130' INT TERM HUP

if ! forbids_start; then
  [ ! -e "$policy" ] || mv "$policy" "$saved"
  printf '#!/bin/sh\n%s\nexit 101\n' "$ours" >"$policy"
  chmod 755 "$policy"
fi

get() { apt-get -y -qq -o DPkg::Lock::Timeout=300 "$@" 9>&-; }
get install --no-install-recommends redis-server ||
  { get update && { get install --no-install-recommends redis-server || get install --no-install-recommends valkey-server; }; }

if command -v systemctl >/dev/null; then
  systemctl disable redis-server valkey-server >/dev/null 2>&1
fi
present
