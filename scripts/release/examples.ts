// Runs the examples as their users do, for `pnpm release:check`: each is copied out of the repository, installed from
// the tarballs and compiled. Its program and its shell script then work on the same packed server.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { checkForwarder } from './forwarder.ts';
import { check, install, npmInstall, PASSWORD, runOutside, serve, withNode } from './outside.ts';
import { OUTSIDE, ROOT, tarballs } from './release-folder.ts';

const DAY_MS = 86_400_000;
/** Tokens, agents and events that the examples read. */
const MANY = 200;
/** Life of the token that has expired when the report is made. */
const EXPIRED_AFTER_MS = 2_000;
/** Scopes that the READMEs of the examples name. */
const SCOPES = ['api_token:read', 'agent:read', 'errlog:read'];
/** An address where nothing listens. */
const NOBODY = 'http://127.0.0.1:9';

/** The two forms of every example. */
const FORMS = { typescript: ['node', 'dist/main.js'], shell: ['sh', 'run.sh'] } as const;

/** Calls the API; throws where it refuses. */
export type Api = <T>(method: string, path: string, body?: object) => Promise<T>;

/** An installed example and the environment of its programs. */
interface Example {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

async function signIn(url: string): Promise<Api> {
  let session = '';
  const api: Api = async <T>(method: string, path: string, body?: object) => {
    // The server closes an idle connection while a program runs here.
    const headers = { 'content-type': 'application/json', 'edge-token': session, connection: 'close' };
    const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) ?? null });
    const { data, msg } = (await answer.json()) as { data: T; msg?: string };
    if (!answer.ok) throw new Error(`${method} ${path}: ${msg}`);
    return data;
  };
  const login = { username: 'admin', password: PASSWORD };
  session = (await api<{ token: string }>('POST', '/admin-api/user/login', login)).token;
  return api;
}

function installExample(base: string, name: string): string {
  const source = join(ROOT, 'examples', name);
  const folder = join(base, name);
  cpSync(source, folder, { recursive: true, filter: (path) => !/node_modules|dist/.test(path.slice(source.length)) });
  npmInstall(folder, tarballs('core', 'sdk'));
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, env: OUTSIDE, stdio: 'inherit' });
  return folder;
}

/** Runs one form of an example to its end. */
function run({ folder, env }: Example, form: keyof typeof FORMS, more: NodeJS.ProcessEnv = {}) {
  const [program, ...args] = FORMS[form];
  return spawnSync(program, args, { cwd: folder, env: { ...env, ...more }, encoding: 'utf8' });
}

/** Compares a result, and prints both values where they differ. */
function same(actual: unknown, expected: unknown, what: string): void {
  const ok = isDeepStrictEqual(actual, expected);
  check(ok, ok ? what : `${what}\n  is     ${JSON.stringify(actual)}\n  not    ${JSON.stringify(expected)}`);
}

/** Exit codes without a setting, with a token that is refused, and without a server. */
function checkFailures(name: string, example: Example): void {
  const settings = { WEBHOOK_URL: NOBODY };
  const code = (form: keyof typeof FORMS, more: NodeJS.ProcessEnv) =>
    run(example, form, { ...settings, ...more }).status;
  const refused = { QUARTERDECK_TOKEN: 'qd_t_wrong' };
  same(code('typescript', { QUARTERDECK_TOKEN: '' }), 2, `${name}: exit code without a setting, typescript`);
  same(code('typescript', refused), 1, `${name}: exit code of a refusal, typescript`);
  same(code('shell', refused), 4, `${name}: exit code of a refusal, shell`);
  // The forwarder waits for its server.
  if (name === 'events-to-webhook') return;
  same(code('typescript', { QUARTERDECK_URL: NOBODY }), 75, `${name}: exit code without an answer, typescript`);
  same(code('shell', { QUARTERDECK_URL: NOBODY }), 69, `${name}: exit code without an answer, shell`);
}

async function checkTokens(api: Api, example: Example): Promise<void> {
  const forms = Object.keys(FORMS) as (keyof typeof FORMS)[];
  const results = () =>
    forms.map((form) => {
      const { status, stdout, stderr } = run(example, form, { WITHIN_DAYS: '30' });
      return { status, report: stdout, stderr };
    });
  const both = (result: object) => forms.map(() => ({ ...result, stderr: '' }));
  same(
    results(),
    both({ status: 0, report: 'No API token expires within 30 days.\n' }),
    'expiring-tokens: both report none',
  );

  const beginMs = Date.now();
  const nameOf = (index: number) => (index === 5 ? 'two\tcolumns \u202eend' : `job ${index}`);
  const made: { id: number; expire: number; index: number }[] = [];
  for (let index = 0; index < MANY; index += 1) {
    // Number 0 expires before the report; of the others, every fourth never does.
    const afterMs = index === 0 ? EXPIRED_AFTER_MS : (index - 0.5) * DAY_MS;
    const expire = index > 0 && index % 4 === 0 ? 0 : beginMs + afterMs;
    const { id } = await api<{ id: number }>('POST', '/admin-api/api_token', { name: nameOf(index), expire });
    made.push({ id, expire, index });
  }
  const disabled = made[9];
  await api('POST', `/admin-api/api_token/${disabled?.id}/disable`);
  await delay(Math.max(0, beginMs + EXPIRED_AFTER_MS + 1 - Date.now()));

  const states = (index: number) => (index === 0 ? 'expired' : index <= 7 ? 'expiring' : 'active');
  const lines = made
    .filter(({ expire, index }) => expire !== 0 && index <= 30 && index !== disabled?.index)
    .map(({ id, expire, index }) => {
      const time = `${new Date(expire).toISOString().slice(0, 19)}Z`;
      // The server takes what is not visible out of names.
      const name = nameOf(index).replace('\t', ' ').replace('\u202e', '');
      return [time, id, 'admin', states(index), name].join('\t');
    });
  const title = `API tokens that expire within 30 days, or have expired: ${lines.length}`;
  const report = [title, ...lines, ''].join('\n');
  same(results(), both({ status: 10, report }), `expiring-tokens: both report the same ${lines.length} of ${MANY}`);
}

async function checkInventory(api: Api, example: Example): Promise<void> {
  /** Texts that CSV or a spreadsheet could take for something else, and the cells that they must become. */
  const notes: readonly (readonly [note: string, cell: string])[] = [
    ['', ''],
    ['=HYPERLINK("http://evil.example")', `"'=HYPERLINK(""http://evil.example"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['rack 4, left', '"rack 4, left"'],
    ['two\nlines', '"two\nlines"'],
    ['größer "x"', '"größer ""x"""'],
  ];
  const rows: string[] = [];
  for (let index = 0; index < MANY; index += 1) {
    const [note, cell] = notes[index % notes.length] ?? ['', ''];
    const { id } = await api<{ id: number }>('POST', '/api/agents/register', {
      ...{ node_id: `node-${index}`, hostname: `web-${index}`, ip: `10.0.1.${index}`, env: 'vm' },
      ...{ system_version: { kernel: '6.1.0-18' }, package: { version: index } },
    });
    if (note !== '') await api('PUT', `/api/agents/${id}`, { note, labels: { site: 'ams', tier: '1' } });
    const labels = note === '' ? '{}' : '"{""site"":""ams"",""tier"":""1""}"';
    rows.unshift(`${id},web-${index},10.0.1.${index},vm,6.1.0-18,${index},${labels},${cell}\n`);
  }
  const csv = `id,hostname,ip,env,system_version.kernel,package.version,labels,note\n${rows.join('')}`;
  for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
    const { status, stderr } = run(example, form, { OUTPUT: `${form}.csv` });
    const file = () => readFileSync(join(example.folder, `${form}.csv`), 'utf8');
    same({ status, stderr, csv: file() }, { status: 0, stderr: '', csv }, `inventory-csv: ${MANY} agents, ${form}`);
    run(example, form, { OUTPUT: `${form}.csv`, QUARTERDECK_TOKEN: 'qd_t_wrong' });
    const left = readdirSync(example.folder).filter((name) => name.endsWith('.tmp'));
    same({ csv: file(), left }, { csv, left: [] }, `inventory-csv: a refused run leaves the last file, ${form}`);
  }
}

async function main(base: string): Promise<void> {
  const node = dirname(process.execPath);
  const server = join(install(base, 'server', tarballs('server')), 'node_modules/.bin/quarterdeckd');
  const commands = join(install(base, 'cli', tarballs('cli')), 'node_modules/.bin');
  const { url, stop } = await serve(server, node, join(base, 'data'));
  try {
    const api = await signIn(url);
    const body = { name: 'examples', scopes: SCOPES };
    const { token } = await api<{ token: string }>('POST', '/admin-api/api_token', body);
    const { PATH } = withNode(node);
    const env = {
      ...{ PATH: `${commands}:${PATH}`, HOME: base, TMPDIR: base, QUARTERDECK_KEYRING: 'off' },
      ...{ QUARTERDECK_URL: url, QUARTERDECK_TOKEN: token },
    };
    const open = (name: string): Example => {
      const example = { folder: installExample(base, name), env };
      checkFailures(name, example);
      return example;
    };
    await checkTokens(api, open('expiring-tokens'));
    const forwarder = open('events-to-webhook');
    for (const [form, command] of Object.entries(FORMS)) {
      await checkForwarder({ ...forwarder, api, form, command, count: MANY });
    }
    await checkInventory(api, open('inventory-csv'));
  } finally {
    await stop();
  }
}

await runOutside(main);
