#!/bin/sh
# Installs redis-server (or else valkey-server) with apt-get and keeps the package from starting or enabling a service:
# the program is wanted, not a Redis on port 6379. Needs root on Debian or a relative of it. Safe to run at once from
# several processes and again after being killed.
set -u
umask 022 # what a package puts on the machine is for all, whatever the agent does with its own files
export DEBIAN_FRONTEND=noninteractive

lock=/var/lib/dpkg/media-buy-agent-redis.lock
policy=/usr/sbin/policy-rc.d
saved=$policy.before-media-buy-agent
ours='# media-buy-agent: no service starts during its installation of redis'

present() { command -v redis-server >/dev/null || command -v valkey-server >/dev/null; }
is_ours() { grep -qsF "$ours" "$policy"; }
forbids_start() { [ -x "$policy" ] && { "$policy" redis-server start >/dev/null 2>&1; [ $? -eq 101 ]; }; }

restore() {
  is_ours || return 0
  rm -f "$policy"
  [ ! -e "$saved" ] || mv "$saved" "$policy"
}

# Forbids only while the lock is held, which apt-get inherits: left behind by a kill, it stands in nobody's way.
forbid() {
  [ ! -e "$policy" ] || mv "$policy" "$saved"
  cat >"$policy" <<SH
#!/bin/sh
$ours
flock -n $lock true || exit 101
[ ! -x $saved ] || exec $saved "\$@"
SH
  chmod 755 "$policy"
}

get() { apt-get -y -qq -o DPkg::Lock::Timeout=300 "$@"; }
install() { get install --no-install-recommends "$1"; }

exec 9>"$lock"
flock 9
trap restore EXIT
trap 'exit 130' INT TERM HUP
restore
present && exit 0

forbids_start || forbid
install redis-server || { get update && { install redis-server || install valkey-server; }; }

for service in redis-server valkey-server; do # nor at the next boot, whichever init there is
  update-rc.d "$service" disable
  deb-systemd-helper disable "$service.service"
done >/dev/null 2>&1
present
