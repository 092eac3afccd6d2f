#!/bin/sh
# Runs the program on the Node of the package${PURPOSE}.
PATH=/usr/lib/${PACKAGE}/node/bin:$PATH
export PATH
${SETTINGS}exec ${RUN} "$@"
