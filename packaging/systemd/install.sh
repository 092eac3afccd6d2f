#!/bin/sh
# Installs the server or the agent as a service of systemd, with its user, folders, example settings and unit. Running it
# again upgrades the program and the unit, and keeps settings and data. See docs/how-to/run-under-systemd.md.
set -eu

usage() {
  cat <<'TEXT'
Usage: install.sh server [FOLDER]
       install.sh agent [FILE]

  FOLDER  an unpacked archive of Quarterdeck (default: the one that this script is in); without an archive,
          quarterdeckd must be on the path, as after npm install --global
  FILE    the single executable, or quarterdeck-agent.mjs; without it, quarterdeck-agent must be on the path

  --no-start  do not start the service, and do not enable it
  --root DIR  install below another root, without starting anything
TEXT
}

here=$(cd "$(dirname "$0")" && pwd)
root=
start=yes
what=
source=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --no-start) start=no ;;
    --root) [ $# -ge 2 ] || { usage >&2; exit 2; }; root=$2; start=no; shift ;;
    -*) usage >&2; exit 2 ;;
    *)
      if [ -z "$what" ]; then what=$1
      elif [ -z "$source" ]; then source=$1
      else usage >&2; exit 2; fi
      ;;
  esac
  shift
done

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

units=$root/etc/systemd/system
bin=/usr/local/bin
lib=/usr/local/lib/quarterdeck
agent_file=/usr/local/lib/quarterdeck-agent.mjs

# Replaces a file in one step: a service may be reading the old one.
put() { # MODE FROM TO
  mkdir -p "$(dirname "$3")"
  cp "$2" "$3.new"
  chmod "$1" "$3.new"
  mv -f "$3.new" "$3"
}

# Copies example settings unless the host has its own.
put_settings() { # MODE FROM TO
  [ -e "$3" ] || put "$1" "$2" "$3"
}

# Installs a unit with the path of the program. A unit of the Debian package stays in /usr/lib/systemd/system, below it.
put_unit() { # NAME PROGRAM
  sed "s|^ExecStart=/usr/bin/[a-z-]*|ExecStart=$2|" "$here/$1" >"$work/unit"
  put 644 "$work/unit" "$units/$1"
}

# Prints the path of a program that is on the path already. The units hide home folders from their programs.
on_path() { # NAME
  found=$(command -v "$1") || fail "$1 is neither given nor on the path; run install.sh --help"
  case $(readlink -f "$found") in
    /home/* | /root/*) fail "$found is in a home folder, which the service cannot read; install it for the whole host" ;;
  esac
  printf '%s\n' "$found"
}

create_user() {
  if [ -n "$root" ]; then
    put 644 "$here/sysusers.conf" "$root/usr/lib/sysusers.d/quarterdeck.conf"
  elif ! getent passwd quarterdeck >/dev/null; then
    if command -v systemd-sysusers >/dev/null; then
      systemd-sysusers "$here/sysusers.conf"
    else
      useradd --system --user-group --home-dir /var/lib/quarterdeck --no-create-home --shell /usr/sbin/nologin quarterdeck
    fi
  fi
}

# The settings may name secrets in their values, so only root and the server read them.
own_settings() {
  [ -n "$root" ] || chown root:quarterdeck "$1"
}

install_server() {
  tree=${source:-$(cd "$here/.." && pwd)}
  if [ -x "$tree/bin/quarterdeckd" ] && [ -d "$tree/lib/node_modules" ]; then
    # The new tree is complete before it takes the place of the old one.
    rm -rf "$root$lib.new"
    mkdir -p "$root$lib.new"
    cp -R "$tree/." "$root$lib.new"
    chmod -R u=rwX,go=rX "$root$lib.new"
    rm -rf "$root$lib.old"
    [ ! -e "$root$lib" ] || mv "$root$lib" "$root$lib.old"
    mv "$root$lib.new" "$root$lib"
    rm -rf "$root$lib.old"
    mkdir -p "$root$bin"
    for name in quarterdeckd quarterdeck; do ln -sfn "../lib/quarterdeck/bin/$name" "$root$bin/$name"; done
    program=$bin/quarterdeckd
  elif [ -n "$source" ]; then
    fail "$source is not an unpacked archive of Quarterdeck"
  else
    program=$(on_path quarterdeckd)
  fi
  create_user
  settings=$root/etc/quarterdeck/quarterdeck.toml
  put_settings 640 "$here/quarterdeck.toml" "$settings"
  own_settings "$settings"
  put_unit quarterdeckd.service "$program"
  for name in quarterdeckd quarterdeckd-syslog quarterdeckd-syslog-tls; do
    put 644 "$here/$name.socket" "$units/$name.socket"
  done
  activate quarterdeckd.service
  [ "$start" = no ] || printf '%s\n' \
    'The server runs. Settings: /etc/quarterdeck/quarterdeck.toml' \
    'After the first start, the password of the user admin is in /var/lib/quarterdeck/first-password.'
}

# A launcher with the options that the unit expects, for the agent as one file of JavaScript.
put_launcher() {
  node=$(command -v node) || fail 'quarterdeck-agent.mjs needs a Node on the path'
  put 644 "$source" "$root$agent_file"
  cat >"$work/launcher" <<TEXT
#!/bin/sh
# Runs the agent with the memory settings it is measured with.
exec $node --jitless --max-semi-space-size=1 --max-old-space-size=64 $agent_file "\$@"
TEXT
  put 755 "$work/launcher" "$root$bin/quarterdeck-agent"
}

install_agent() {
  program=$bin/quarterdeck-agent
  if [ -z "$source" ]; then
    program=$(on_path quarterdeck-agent)
  elif [ ! -f "$source" ]; then
    fail "there is no file $source"
  elif [ "$(head -c 2 "$source")" = '#!' ]; then
    put_launcher
  else
    put 755 "$source" "$root$program"
  fi
  put_settings 644 "$here/agent.toml" "$root/etc/quarterdeck-agent/agent.toml"
  put_unit quarterdeck-agent.service "$program"
  if [ -e "$root/etc/quarterdeck-agent/enroll-token" ] || [ -e "$root/var/lib/private/quarterdeck-agent/state.json" ]; then
    activate quarterdeck-agent.service
    return
  fi
  [ -n "$root" ] || systemctl daemon-reload
  printf '%s\n' \
    'The agent is installed and not enrolled yet:' \
    '  1. set url in /etc/quarterdeck-agent/agent.toml' \
    '  2. put the enrollment token into /etc/quarterdeck-agent/enroll-token, mode 0600' \
    '  3. systemctl enable --now quarterdeck-agent'
}

# Enables and starts a unit; one that runs is restarted with what is new.
activate() { # UNIT
  [ -z "$root" ] || return 0
  systemctl daemon-reload
  [ "$start" = yes ] || return 0
  systemctl enable "$1"
  systemctl restart "$1"
}

[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail 'run it as root, or with --root'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $what in
  server) install_server ;;
  agent) install_agent ;;
  *) usage >&2; exit 2 ;;
esac
