// Writes the inventory of the fleet as CSV. README.md lists the settings and the exit codes.
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Agent, type Client, createClient, isNetworkError, isTimeoutError, paginate } from '@quarterdeck/sdk';

const USAGE = 2;
const TRY_AGAIN = 75;

const COLUMNS: Readonly<Record<string, (agent: Agent) => unknown>> = {
  id: ({ id }) => id,
  hostname: ({ hostname }) => hostname,
  ip: ({ ip }) => ip,
  env: ({ env }) => env,
  'system_version.kernel': ({ system_version: { kernel } }) => kernel,
  'package.version': (agent) => agent.package.version,
  labels: ({ labels }) => JSON.stringify(labels),
  note: ({ note }) => note,
};

function setting(name: string, fallback?: string): string {
  const value = process.env[name] || fallback;
  if (value !== undefined) return value;
  console.error(`Set ${name}.`);
  process.exit(USAGE);
}

/** A spreadsheet runs text that begins like this as a formula; an apostrophe prevents it. */
const FORMULA = /^[=+\-@\t\r\n]/;

function cell(value: unknown): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const row = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\n`;

/** Yields the file page by page, so memory does not grow with the texts of the fleet. */
async function* csv(client: Client): AsyncGenerator<string> {
  const cells = Object.values(COLUMNS);
  yield row(Object.keys(COLUMNS));
  for await (const agents of paginate(client.agent.list, { query: { detail: 1 } }, { pageSize: 500 }).pages()) {
    yield agents.map((agent) => row(cells.map((cellOf) => cellOf(agent)))).join('');
  }
}

async function main(): Promise<void> {
  const client = createClient({ url: setting('QUARTERDECK_URL'), apiToken: setting('QUARTERDECK_TOKEN') });
  const file = setting('OUTPUT', 'inventory.csv');
  const unfinished = `${file}.tmp`;
  try {
    await pipeline(Readable.from(csv(client)), createWriteStream(unfinished));
    // A failed run leaves the file of the last one.
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = isNetworkError(error) || isTimeoutError(error) ? TRY_AGAIN : 1;
}
