// Checks the way to the server, step by step.
import { connect as connectTls } from 'node:tls';
import { isApiError } from '@quarterdeck/sdk';
import { fullTime, versionText } from '@quarterdeck/views/text';
import type { Invocation } from '../command/command.ts';
import { failureOf } from '../command/failure.ts';
import { durationText } from '../command/values.ts';
import { printRows } from '../output/print.ts';
import { type ExitName, exitCode } from '../process/exit-codes.ts';
import { type Connection, connect, USER_AGENT } from './connection.ts';

interface Check {
  readonly check: 'server' | 'reach' | 'clock' | 'certificate' | 'version' | 'rights';
  readonly result: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly exit?: ExitName;
}

/** Clocks that differ by less are fine, seconds: the header `Date` has whole seconds, and the answer takes time. */
const CLOCK_S = 5;
/** Days before its end at which a certificate is a warning. */
const CERTIFICATE_DAYS = 14;
const DAY_MS = 86_400_000;
const WAIT_MS = 10_000;

/** Runs all checks. The exit code is that of the first one that failed. */
export async function runDoctor({ values, program }: Invocation): Promise<number | undefined> {
  const connection = connect(program, values);
  const { profile, origin } = connection.target;
  const name = profile.name === '' ? '' : `profile ${profile.name}, `;
  const checks: Check[] = [{ check: 'server', result: 'ok', detail: `${profile.url} (${name}credential: ${origin})` }];
  const waitMs = ((values['timeout'] as number | undefined) ?? WAIT_MS / 1000) * 1000;
  const reach = await checkReach(profile.url, waitMs, program.now);
  checks.push(...reach);
  if (profile.url.startsWith('https:')) checks.push(await checkCertificate(profile.url, waitMs, program.now()));
  if (reach.every(({ result }) => result !== 'failed')) {
    checks.push(await checkVersion(connection), await checkRights(connection));
  }
  await printRows(
    program.io,
    checks.map(({ exit: _exit, ...row }) => row),
    { columns: ['check', 'result', 'detail'] },
    values,
  );
  const failed = checks.find(({ result }) => result === 'failed');
  return failed === undefined ? undefined : exitCode(failed.exit ?? 'refused');
}

/** Asks for the health of the server, without a credential. */
async function checkReach(url: string, waitMs: number, now: () => number): Promise<Check[]> {
  const startedMs = now();
  try {
    const answer = await fetch(`${url}/readyz`, {
      headers: { 'user-agent': USER_AGENT },
      redirect: 'manual',
      signal: AbortSignal.timeout(waitMs),
    });
    const endedMs = now();
    await answer.body?.cancel();
    const took = `${endedMs - startedMs} ms`;
    const reach: Check =
      answer.status === 200
        ? { check: 'reach', result: 'ok', detail: `answers in ${took}` }
        : { check: 'reach', result: 'failed', detail: `HTTP ${answer.status} in ${took}`, exit: 'tryAgain' };
    return [reach, clockCheck(answer.headers.get('date'), (startedMs + endedMs) / 2)];
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const detail = cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : String(cause);
    return [{ check: 'reach', result: 'failed', detail, exit: 'unreachable' }];
  }
}

function clockCheck(date: string | null, hereMs: number): Check {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return { check: 'clock', result: 'warning', detail: 'the server does not tell its time' };
  const differenceS = Math.round((serverMs - hereMs) / 1000);
  const isFine = Math.abs(differenceS) <= CLOCK_S;
  const side = differenceS > 0 ? 'behind' : 'ahead of';
  const detail = isFine
    ? 'the clocks agree'
    : `this clock is ${durationText(Math.abs(differenceS))} ${side} that of the server`;
  return { check: 'clock', result: isFine ? 'ok' : 'warning', detail };
}

/** Reads the certificate also where it is not trusted, to tell why. */
function checkCertificate(url: string, waitMs: number, nowMs: number): Promise<Check> {
  const { hostname, port } = new URL(url);
  const host = hostname.replaceAll(/[[\]]/g, '');
  return new Promise((resolve) => {
    const fail = (detail: string): void =>
      resolve({ check: 'certificate', result: 'failed', detail, exit: 'unreachable' });
    const socket = connectTls({
      host,
      port: Number(port) || 443,
      ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }),
      rejectUnauthorized: false,
      timeout: waitMs,
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', (error) => fail(error.message));
    socket.once('secureConnect', () => {
      const { valid_to: end } = socket.getPeerCertificate();
      const { authorized, authorizationError: reason } = socket;
      socket.destroy();
      const endMs = Date.parse(end);
      const days = Math.floor((endMs - nowMs) / DAY_MS);
      if (!authorized) fail(`not trusted: ${String(reason)}`);
      else {
        const detail = `valid until ${fullTime(endMs)}, ${days} days`;
        resolve({ check: 'certificate', result: days < CERTIFICATE_DAYS ? 'warning' : 'ok', detail });
      }
    });
  });
}

async function checkVersion({ client }: Connection): Promise<Check> {
  try {
    const { version, product_type: product } = await client.system.version();
    return { check: 'version', result: 'ok', detail: `${product} ${versionText(version)}` };
  } catch (error) {
    return failedCheck('version', error);
  }
}

async function checkRights({ client }: Connection): Promise<Check> {
  try {
    const { username, role, permissions, credential, must_set_up_second_factor: isLocked } = await client.user.me();
    const until = credential.expire === 0 ? 'never expires' : `until ${fullTime(credential.expire)}`;
    const what = credential.kind === 'session' ? 'session' : 'API token';
    const detail = `${username} (${role}), ${what} ${until}; ${permissions.join(' ')}`;
    if (isLocked) {
      const reason = 'the role requires a second factor; set one up in the dashboard';
      return { check: 'rights', result: 'failed', detail: reason, exit: 'notAllowed' };
    }
    return { check: 'rights', result: 'ok', detail };
  } catch (error) {
    return failedCheck('rights', error);
  }
}

function failedCheck(check: Check['check'], error: unknown): Check {
  const { message, exit } = failureOf(error);
  // Without a credential the server does not send its version, which is no failure of its own.
  const isQuiet = check === 'version' && isApiError(error) && error.status === 401;
  return { check, result: isQuiet ? 'warning' : 'failed', detail: message, exit };
}
