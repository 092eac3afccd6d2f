#!/bin/sh
# Prints the API tokens that expire soon, for a nightly job. README.md lists the settings and the exit codes.
set -eu

days=${WITHIN_DAYS:-30}
case $days in
  *[!0-9]* | ??????*)
    echo 'WITHIN_DAYS must be a whole number of days.' >&2
    exit 2
    ;;
esac

report=$(
  quarterdeck tokens list --all --columns id,name,username,state,expire --jq '
    map(select(.state != "disabled" and .expire != 0 and .expire <= (now + '"$days"' * 86400) * 1000))
    | sort_by(.expire, .id)
    | if length == 0 then empty else
        "API tokens that expire within '"$days"' days, or have expired: \(length)",
        (.[] | [(.expire / 1000 | floor | todate), (.id | tostring), .username, .state, (.name | gsub("\\p{C}"; "?"))]
          | join("\t"))
      end'
)
if [ -z "$report" ]; then
  echo "No API token expires within $days days."
  exit 0
fi
printf '%s\n' "$report"
exit 10
