// Prints the API tokens that expire soon, for a nightly job. README.md lists the settings and the exit codes.
import process from 'node:process';
import { type ApiToken, createClient, isNetworkError, isTimeoutError, paginate } from '@quarterdeck/sdk';

const DAY_MS = 86_400_000;
const SOME_EXPIRE = 10;
const USAGE = 2;
const TRY_AGAIN = 75;

function setting(name: string, fallback?: string): string {
  const value = process.env[name] || fallback;
  if (value !== undefined) return value;
  console.error(`Set ${name}.`);
  process.exit(USAGE);
}

function daysSetting(): number {
  const text = setting('WITHIN_DAYS', '30');
  if (/^\d{1,5}$/.test(text)) return Number(text);
  console.error('WITHIN_DAYS must be a whole number of days.');
  process.exit(USAGE);
}

/** A name may have control characters, which would change the terminal or the line of the report. */
const printable = (text: string): string => text.replace(/\p{C}/gu, '?');

function line({ id, name, username, state, expire }: ApiToken): string {
  const time = new Date(expire).toISOString().replace(/\.\d+Z$/, 'Z');
  return [time, id, username, state, printable(name)].join('\t');
}

async function main(): Promise<number> {
  const days = daysSetting();
  const client = createClient({ url: setting('QUARTERDECK_URL'), apiToken: setting('QUARTERDECK_TOKEN') });
  const latest = Date.now() + days * DAY_MS;
  const expiring: ApiToken[] = [];
  for await (const token of paginate(client.apiToken.list, { query: { detail: 1 } }, { pageSize: 1_000 })) {
    const { expire, state } = token;
    if (state !== 'disabled' && expire !== 0 && expire <= latest) expiring.push(token);
  }
  if (expiring.length === 0) {
    console.log(`No API token expires within ${days} days.`);
    return 0;
  }
  expiring.sort((a, b) => a.expire - b.expire || a.id - b.id);
  console.log(`API tokens that expire within ${days} days, or have expired: ${expiring.length}`);
  for (const token of expiring) console.log(line(token));
  return SOME_EXPIRE;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = isNetworkError(error) || isTimeoutError(error) ? TRY_AGAIN : 1;
}
