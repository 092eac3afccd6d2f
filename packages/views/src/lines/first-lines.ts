// Ways to send the first line to a server, for screens that are still empty. Pure.

/** Port for syslog unless the server's settings choose another. */
const SYSLOG_PORT = 5140;

/** The directive that makes nginx send its errors to the server with this address. */
export function nginxDirective(url: string): string {
  const { hostname } = new URL(url);
  return `error_log syslog:server=${hostname}:${SYSLOG_PORT} info;`;
}
