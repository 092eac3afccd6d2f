#!/bin/sh
# Writes the inventory of the fleet as CSV. README.md lists the settings and the exit codes.
set -eu

output=${OUTPUT:-inventory.csv}
trap 'rm -f "$output.tmp"' EXIT
quarterdeck agents list --all -o csv \
  --columns id,hostname,ip,env,system_version.kernel,package.version,labels,note > "$output.tmp"
# A failed run leaves the file of the last one.
mv "$output.tmp" "$output"
