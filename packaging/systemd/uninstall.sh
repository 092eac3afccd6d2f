#!/bin/sh
# Removes what install.sh has installed. Settings and data stay, unless --purge is given.
set -eu

usage() {
  cat <<'TEXT'
Usage: uninstall.sh server|agent [--purge]

  --purge     remove settings and data too: database, key, spool, the identity of the agent, the user
  --root DIR  uninstall below another root, without stopping anything
TEXT
}

root=
purge=no
what=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --purge) purge=yes ;;
    --root) [ $# -ge 2 ] || { usage >&2; exit 2; }; root=$2; shift ;;
    server | agent) what=$1 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

units=$root/etc/systemd/system
bin=$root/usr/local/bin
lib=$root/usr/local/lib

# Stops and removes a unit with its drop-ins. One that is not there is no failure: a second run ends well too.
remove_unit() { # NAME
  if [ -z "$root" ] && [ -e "$units/$1" ]; then systemctl disable --now "$1" || true; fi
  rm -f "$units/$1"
  [ "$purge" = no ] || rm -rf "$units/$1.d"
}

reload() {
  if [ -z "$root" ]; then systemctl daemon-reload; fi
}

remove_server() {
  # The sockets first: a connection would start the service again.
  for name in quarterdeckd.socket quarterdeckd-syslog.socket quarterdeckd-syslog-tls.socket quarterdeckd.service; do
    remove_unit "$name"
  done
  reload
  for name in quarterdeckd quarterdeck; do
    # The link of install.sh, and not that of npm.
    if [ "$(readlink "$bin/$name" || true)" = "../lib/quarterdeck/bin/$name" ]; then rm -f "$bin/$name"; fi
  done
  rm -rf "$lib/quarterdeck" "$lib/quarterdeck.new" "$lib/quarterdeck.old"
  [ "$purge" = yes ] || return 0
  rm -rf "$root/etc/quarterdeck" "$root/var/lib/quarterdeck"
  if [ -n "$root" ]; then
    rm -f "$root/usr/lib/sysusers.d/quarterdeck.conf"
  elif getent passwd quarterdeck >/dev/null; then
    userdel quarterdeck
  fi
}

remove_agent() {
  remove_unit quarterdeck-agent.service
  reload
  # The program of npm is a link, and npm removes it.
  [ -L "$bin/quarterdeck-agent" ] || rm -f "$bin/quarterdeck-agent"
  rm -f "$lib/quarterdeck-agent.mjs"
  [ "$purge" = yes ] || return 0
  rm -rf "$root/etc/quarterdeck-agent" "$root/var/lib/private/quarterdeck-agent" "$root/var/lib/quarterdeck-agent"
}

if [ -z "$root" ] && [ "$(id -u)" != 0 ]; then
  echo 'uninstall.sh: run it as root, or with --root' >&2
  exit 1
fi
case $what in
  server) remove_server ;;
  agent) remove_agent ;;
  *) usage >&2; exit 2 ;;
esac
