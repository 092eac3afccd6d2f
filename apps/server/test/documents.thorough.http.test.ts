// Runs the commands and programs of the documents that are marked with `run`, against a real server, and compares what
// they print with the documents.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Block, ROOT, readDocument, readDocuments } from '../../../test/documents/documents.ts';
import { newFolder } from '../../../test/new-folder.ts';
import { nonEmpty } from '../../../test/non-empty.ts';
import { findProgram } from '../../../test/programs.ts';
import { MAIN } from './command-line.ts';
import { programEnvironment } from './program-environment.ts';
import { startApi, type TestApi, variablesOf } from './start-api.ts';

const FROM_SOURCES = '--conditions=@quarterdeck/source';
const PORT_OF_DOCUMENTS = 'http://127.0.0.1:7080';
/** ASCII's record separator: between what two blocks print. */
const SEPARATOR = '\u001e';

const hasPrograms = ['bash', 'curl', 'jq'].every((name) => findProgram(name) !== undefined);

let api: TestApi;
let folder: string;
beforeEach(async () => {
  api = await startApi();
  folder = newFolder();
  for (const [name, main] of Object.entries({ quarterdeckd: MAIN, quarterdeck: `${ROOT}apps/cli/src/main.ts` })) {
    const program = join(folder, name);
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' ${FROM_SOURCES} '${main}' "$@"\n`);
    chmodSync(program, 0o755);
  }
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

const environment = () => ({
  ...programEnvironment(),
  ...variablesOf(api.sharing),
  HOME: folder,
  PATH: `${folder}${delimiter}${process.env['PATH']}`,
});

const isRun = (language: string) => (block: Block) => block.language === language && block.flags.includes('run');

/** Output as the document shows it: JSON by value, in lines; other text as it is. */
function printed({ language }: Pick<Block, 'language'>, output: string): unknown {
  if (language !== 'json') return output.trim();
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe.skipIf(!hasPrograms)('the commands', () => {
  const documents = readDocuments().filter(({ blocks }) => blocks.some(isRun('sh')));

  it.each(nonEmpty(documents))('of $path do what it says', async ({ blocks }) => {
    const { token } = await api.admin.apiToken.create({ body: { name: 'of a person' } });
    writeFileSync(join(folder, 'token-header'), `API-Token: ${token}\n`, { mode: 0o600 });
    const commands = blocks.filter(isRun('sh'));
    const script = commands
      .map((block) => block.text)
      .join(`printf '${SEPARATOR}'\n`)
      .replaceAll(PORT_OF_DOCUMENTS, api.url)
      .replaceAll('apps/server/bin/quarterdeckd', 'quarterdeckd');
    const options = { cwd: folder, env: environment() };
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
    const outputs = stdout.split(SEPARATOR);
    expect(outputs).toHaveLength(commands.length);
    for (const [index, command] of commands.entries()) {
      const next = blocks[blocks.indexOf(command) + 1];
      if (next?.flags.includes('output') !== true) continue;
      expect(printed(next, outputs[index] ?? ''), next.place).toEqual(printed(next, next.text));
    }
  });

  it('of the tutorial are run', () => {
    expect(documents.map(({ path }) => path)).toContain('docs/tutorials/first-hour.md');
  });
});

describe('the programs of the tutorial of the library', () => {
  const { blocks } = readDocument('docs/tutorials/sdk.md');
  const [send, list, follow] = blocks.filter(isRun('ts'));
  const outputs = blocks.filter(({ flags }) => flags.includes('output')).map((block) => block.text);

  async function start(program: Block | undefined): Promise<ChildProcess> {
    const { token } = await api.admin.apiToken.create({ body: { name: 'tutorial' } });
    const file = join(folder, `${program?.place.split(':')[1]}.ts`);
    writeFileSync(file, program?.text ?? '');
    const env = { ...programEnvironment(), QUARTERDECK_URL: api.url, QUARTERDECK_TOKEN: token };
    return spawn(process.execPath, [FROM_SOURCES, file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  }
  const outputOf = async ({ stdout }: ChildProcess) => (stdout === null ? '' : await text(stdout));

  beforeEach(() => {
    mkdirSync(join(folder, 'node_modules', '@quarterdeck'), { recursive: true });
    symlinkSync(join(ROOT, 'packages/sdk'), join(folder, 'node_modules/@quarterdeck/sdk'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  });

  it('send an error and list it', async () => {
    expect([await outputOf(await start(send)), await outputOf(await start(list))]).toEqual(outputs);
  });

  it('wait for the next error', async () => {
    const following = await start(follow);
    const ready = Promise.withResolvers<void>();
    following.stdout?.on('data', (piece: Buffer) => piece.includes('open') && ready.resolve());
    const output = outputOf(following);
    await ready.promise;
    await outputOf(await start(send));
    expect((await output).trim().split('\n').at(-1)).toBe('errlog.new report 17 failed');
  });
});
