// A client in TypeScript that strangers would generate from the OpenAPI document.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, expect, it } from 'vitest';
import { useSharedApi } from './start-api.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const server = fileURLToPath(new URL('..', import.meta.url));

/** Inside the package, where its dependencies are found. */
const folder = mkdtempSync(join(server, 'node_modules/.openapi-client-'));
const api = useSharedApi();
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A program over the generated types. Each of the marked lines is an error of types, else it does not compile. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

const [baseUrl = '', token = '', name = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } });

const { data: created } = await client.POST('/admin-api/change', { body: { kind: 'deploy', name, after: '1.4.2' } });
const { data: list } = await client.GET('/admin-api/change', { params: { query: { kind: 'deploy', page_size: 5 } } });
const changes: components['schemas']['Change'][] = list?.data.data ?? [];
const { error } = await client.GET('/admin-api/change/{id}', { params: { path: { id: 999 } } });
// @ts-expect-error The body needs a kind.
const incomplete = () => client.POST('/admin-api/change', { body: { name: 'shop' } });
// @ts-expect-error There is no such field.
const unknown = () => created?.data.hosts;
void [incomplete, unknown];
console.log(JSON.stringify({ id: created?.data.id, newest: changes[0]?.name, code: error?.err.code }));
`;

it('compiles a generated client, which makes calls', async () => {
  const document = await (await fetch(`${api.url}/openapi.json`)).text();
  writeFileSync(join(folder, 'api.ts'), astToString(await openapiTS(document)));
  writeFileSync(join(folder, 'main.ts'), PROGRAM);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../../../tsconfig.base.json',
      compilerOptions: { noEmit: false, outDir: 'out' },
      files: ['main.ts'],
    }),
  );
  const tsc = join(require.resolve('typescript/package.json'), '../bin/tsc');
  const { stdout: problems } = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error);
  expect(problems).toBe('');
  const name = randomUUID();
  const { stdout } = await run(process.execPath, [join(folder, 'out/main.js'), api.url, api.adminToken, name]);
  expect(JSON.parse(stdout)).toEqual({ id: expect.any(Number), newest: name, code: 'not_found' });
});
