#!/bin/sh
# Forwards events to a chat webhook, each at least once. README.md lists the settings and the exit codes.
set -eu

: "${WEBHOOK_URL:?Set WEBHOOK_URL.}"
position=${POSITION_FILE:-events.position}
work=$(mktemp -d)
mkfifo "$work/events"

set -- --types agent.online,agent.offline,agent.outage,change.created,errlog.new,token.expiring
if [ -s "$position" ]; then set -- "$@" --after "$(cat "$position")"; fi
quarterdeck events "$@" -o ndjson > "$work/events" &
stream=$!
trap 'kill "$stream" 2> /dev/null || :; rm -rf "$work" "$position.tmp"' EXIT
trap 'exit 0' TERM INT

message='{text: (
  if .type == "agent.online" or .type == "agent.offline" then "\(.data.hostname) is \(.type | ltrimstr("agent."))"
  elif .type == "change.created" then "\(.data.kind) \(.data.name)"
  elif .type == "errlog.new" then "New error: \(.data.log[:500])"
  elif .type == "token.expiring" then "The API token \(.data.name) expires in \(.data.days) days"
  elif .type == "resync" then "Events were missed: \(.data.reason)"
  else .type end)}'

# curl reads the address from standard input, because an argument list is public and the address is a secret.
post() {
  printf 'url = "%s"\n' "$WEBHOOK_URL" |
    curl --config - --silent --show-error --fail --output /dev/null --max-time 10 \
      --header 'content-type: application/json' --data-binary "@$work/body"
}

while IFS= read -r event; do
  id=$(printf '%s' "$event" | jq -r .id)
  printf '%s' "$event" | jq -c "$message" > "$work/body"
  pause=1
  until post; do
    # A signal ends `wait` at once, and `sleep` only when it is over.
    sleep "$pause" &
    wait "$!"
    pause=$((pause < 32 ? pause * 2 : 60))
  done
  # The position follows the delivery, and mv is atomic: after a crash an event may repeat, none is lost.
  printf '%s' "$id" > "$position.tmp"
  mv "$position.tmp" "$position"
done < "$work/events"
wait "$stream"
