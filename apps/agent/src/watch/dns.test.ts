import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { dnsWatcher, parseResolvConf } from './dns.ts';

const { signal } = new AbortController();

it('parses comments, several lists and odd spaces', () => {
  const text =
    '# nameserver 192.0.2.9\n; x\nnameserver\t192.0.2.1 \n nameserver 2001:db8::1\ndomain a\nsearch b.example c\n';
  expect(parseResolvConf(`${text}options ndots:2\noptions rotate`)).toEqual({
    'name servers': '192.0.2.1 2001:db8::1',
    'search domains': 'b.example c',
    'resolver options': 'ndots:2 rotate',
  });
});

it('reports other name servers, and that there are none', async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, 'etc'));
  const path = join(root, 'etc/resolv.conf');
  const { look } = dnsWatcher(root);
  await writeFile(path, 'nameserver 192.0.2.1\nsearch a.example\n');
  const { observed } = await look(undefined, signal);
  await writeFile(path, 'nameserver 192.0.2.2\nsearch a.example\n');
  const change = { kind: 'dns', field: 'name servers', from: '192.0.2.1' };
  expect((await look(observed, signal)).changes).toEqual([{ ...change, to: '192.0.2.2', atMs: expect.any(Number) }]);
  await rm(path);
  expect((await look(observed, signal)).changes).toContainEqual({ ...change, to: '' });
});
