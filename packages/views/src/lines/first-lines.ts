// Ways to send the first line to a server, for screens that are still empty. Pure.
import { clean } from '../text/clean.ts';

/** Port for syslog unless the server's settings choose another. */
const SYSLOG_PORT = 5140;

/** A command of a first step, on one line. Pasted into a shell it works. */
export interface Way {
  readonly label: string;
  readonly command: string;
}

/** Quotes a word for the shell where it needs quotes. */
export const shellWord = (text: string): string =>
  /^[\w:/.@%+=[\]-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const hostOf = (url: string): string => new URL(url).hostname;

/** The directive that makes nginx send its errors to the server with this address. */
export const nginxDirective = (url: string): string => `error_log syslog:server=${hostOf(url)}:${SYSLOG_PORT} info;`;

/**
 * The command that sends a line over HTTP. The token goes through a pipe, because other users of the host can read the
 * arguments of programs; without one it is that of the environment.
 */
export function sendCommand(url: string, token?: string): string {
  const credential = token === undefined ? '"$QUARTERDECK_TOKEN"' : shellWord(token);
  const address = shellWord(`${clean(url).replace(/\/+$/, '')}/admin-api/log_server/errlog`);
  const body = `-H Content-Type:application/json -d '{"level":"error","log":"hello"}'`;
  return `printf 'API-Token: %s' ${credential} | curl -sS -H @- ${body} ${address}`;
}

/** Three ways to send a first line to the server with this address, the shortest first. */
export function waysToSend(url: string): readonly Way[] {
  const host = shellWord(hostOf(url).replace(/^\[|\]$/g, ''));
  return [
    {
      label: 'with the command line',
      command: `QUARTERDECK_URL=${shellWord(clean(url))} quarterdeck errors send hello`,
    },
    { label: 'by syslog', command: `logger -d -n ${host} -P ${SYSLOG_PORT} -p user.err hello` },
    { label: 'over HTTP', command: sendCommand(url) },
  ];
}

/** The steps that enroll a host with the token of the environment and start its agent. */
export const waysToEnroll = (url: string): readonly Way[] => [
  { label: 'enroll the host', command: `quarterdeck-agent enroll --server ${shellWord(clean(url))}` },
  { label: 'start its agent', command: 'quarterdeck-agent run' },
];
