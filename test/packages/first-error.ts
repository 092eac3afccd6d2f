// From nothing to the first error: a new user signs in with the password of the first start, and a real nginx writes a
// real error that `quarterdeck errors list` shows.
import { freePort } from '../free-port.ts';
import { check } from './check.ts';
import { type Installation, succeed, waitFor, waitUntilReady } from './installation.ts';

/** The line that the first start prints once. */
const FIRST_PASSWORD = /Sign in as (\S+) with the password (\S+)/;
/** A file that nginx is asked for and does not have. */
const MISSING = 'not-there.html';

/** Signs in with the password that the server printed at its first start. */
export async function signInFirst(installation: Installation): Promise<void> {
  await waitUntilReady(installation);
  const [, username = '', password = ''] = await waitFor(
    () => FIRST_PASSWORD.exec(installation.serverLog()) ?? false,
    () => `the server printed no password:\n${installation.serverLog()}`,
  );
  signIn(installation, username, password);
}

/** Signs in on the command line, for later commands. */
export function signIn({ quarterdeck, url }: Installation, username: string, password: string): void {
  const { status, stderr } = quarterdeck(['login', url, '--username', username, '--password-stdin'], password);
  check(status === 0, `signs in as ${username}${status === 0 ? '' : `: ${stderr}`}`);
}

/** Starts an nginx that reports to the syslog port. Returns its address and a function that stops it. */
async function startNginx({ run, syslogPort }: Installation): Promise<{ url: string; stop(): void }> {
  const port = await freePort();
  const folder = succeed(run, ['mktemp', '-d', '/tmp/quarterdeck-nginx-XXXXXX']).trim();
  // The workers of nginx have another user.
  succeed(run, ['chmod', '755', folder]);
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const conf = `pid ${folder}/nginx.pid;
error_log syslog:server=127.0.0.1:${syslogPort} info;
events {}
http {
  access_log off;
  ${temp.join(' ')}
  server { listen 127.0.0.1:${port}; root ${folder}; }
}
`;
  succeed(run, ['tee', `${folder}/nginx.conf`], conf);
  const nginx = ['nginx', '-e', `${folder}/start.log`, '-c', `${folder}/nginx.conf`];
  succeed(run, nginx);
  const stop = () => {
    succeed(run, [...nginx, '-s', 'stop']);
    succeed(run, ['rm', '-rf', folder]);
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** Texts of the newest errors, as the command line lists them. */
export const listErrors = ({ quarterdeck }: Installation): string[] =>
  (JSON.parse(succeed(quarterdeck, ['errors', 'list', '--all', '--output', 'json'])) as { log: string }[]).map(
    ({ log }) => log,
  );

/** Makes nginx write an error and checks that it is listed. The user has signed in. */
export async function checkNginxError(installation: Installation): Promise<void> {
  const nginx = await startNginx(installation);
  try {
    const { status } = await fetch(`${nginx.url}/${MISSING}`, { headers: { connection: 'close' } });
    check(status === 404, `nginx answers ${status} for a missing file`);
    const found = await waitFor(
      () => listErrors(installation).find((text) => text.includes(MISSING)),
      () => `the error of nginx is not listed: ${listErrors(installation).join('\n')}`,
    );
    check(true, `quarterdeck errors list: ${found}`);
  } finally {
    nginx.stop();
  }
}

/** Goes from a new installation, whose server starts, to the first error of nginx. */
export async function checkFirstError(installation: Installation): Promise<void> {
  await signInFirst(installation);
  await checkNginxError(installation);
}
