// Tests logs of containers as containerd, CRI-O and podman write them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoredOutputDecoder } from '../../src/follow/stored-output.ts';
import { podOf } from '../../src/lines/pod-names.ts';
import { startFakeConsole } from '../fake-console.ts';
import { startFollowing } from './following.ts';
import { batches, eventually, ship } from './running-shipper.ts';

const TIME = '2026-03-01T10:00:00.123456789Z';
const TIME_S = Date.parse('2026-03-01T10:00:00Z') / 1000;
const cri = (text: string, stream = 'stdout', tag = 'F', time = TIME) => `${time} ${stream} ${tag} ${text}`;

function decode(...lines: string[]) {
  const decoder = new StoredOutputDecoder();
  const raw = lines.map((line, at) => ({ bytes: Buffer.from(line), lost: 0, end: at + 1, tail: Buffer.alloc(0) }));
  return [...raw.flatMap((line) => decoder.add(line)), ...decoder.flush()].map(({ bytes, end, isBound, stream }) => ({
    text: bytes.toString(),
    end,
    ...(isBound ? { isBound } : {}),
    ...(stream === undefined ? {} : { stream }),
  }));
}

describe('the decoder', () => {
  it('joins pieces of both streams, and binds the lines between them', () => {
    expect(
      decode(cri('a'), cri('o1 ', 'stdout', 'P'), cri('e1 ', 'stderr', 'P'), cri('o2'), cri('e2', 'stderr'), cri('b')),
    ).toEqual([
      { text: 'a', end: 1, stream: 'stdout' },
      { text: 'o1 o2', end: 5, stream: 'stdout', isBound: true },
      { text: 'e1 e2', end: 5, stream: 'stderr' },
      { text: 'b', end: 6, stream: 'stdout' },
    ]);
  });

  it.each([
    ['a zone', cri('x', 'stdout', 'F', '2026-03-01T10:00:00+01:00'), 'x'],
    ['more tags', cri('x', 'stdout', 'F:a'), 'x'],
    ['no text', `${TIME} stderr F`, ''],
    ['blanks of its own', cri('  x '), '  x '],
    ['json-file', JSON.stringify({ log: 'x\n', stream: 'stderr', time: TIME }), 'x'],
    ['json-file with labels', JSON.stringify({ log: 'x\n', stream: 'stderr', attrs: { a: 'b' }, time: TIME }), 'x'],
  ])('reads a line with %s', (_, line, text) => {
    expect(decode(line)).toMatchObject([{ text }]);
  });

  it.each([
    `${TIME} stdout X x`,
    `${TIME} other F x`,
    '2026-03-01 10:00:00 stdout F x',
    '{"log":"x","level":3}',
    '{"log":"x","stream":"a","time":"never"}',
    '',
  ])('leaves a line of another form as it is: %s', (line) => {
    expect(decode(line)).toEqual([{ text: line, end: 1 }]);
  });

  it('does not hold lines of the other stream for ever', () => {
    const lines = decode(
      cri('o ', 'stdout', 'P'),
      ...Array.from({ length: 1_000 }, (_, n) => cri(String(n), 'stderr')),
    );
    expect(lines).toHaveLength(1_001);
    expect(lines.filter(({ isBound }) => isBound).length).toBeLessThanOrEqual(256);
  });
});

it('loses and repeats nothing when the agent is killed', async () => {
  const logs = await startFollowing('0.log');
  await logs.write('0.log', `${[cri('a'), cri('o1 ', 'stdout', 'P'), cri('e', 'stderr')].join('\n')}\n`);
  const first = await logs.look();
  await logs.restart();
  await logs.write('0.log', `${[cri('o2'), cri('b')].join('\n')}\n`);
  expect([...first, ...(await logs.look())]).toEqual(['a', 'e', 'o1 o2', 'b']);
});

describe('the names of Kubernetes', () => {
  const uid = '0a1b2c3d-0000-4000-8000-0123456789ab';
  const names = { 'k8s.namespace.name': 'shop', 'k8s.pod.name': 'web-7d4b-x2', 'k8s.container.name': 'app' };

  it.each([
    [`/var/log/pods/shop_web-7d4b-x2_${uid}/app/0.log`, { container: 'app', fields: { ...names, 'k8s.pod.uid': uid } }],
    [`/var/log/containers/web-7d4b-x2_shop_app-${'a'.repeat(64)}.log`, { container: 'app', fields: names }],
    ['/var/log/pods/x.log', undefined],
    [`/var/lib/docker/containers/${'a'.repeat(64)}/${'a'.repeat(64)}-json.log`, undefined],
  ])('of %s', (path, expected) => {
    expect(podOf(path)).toEqual(expected);
  });
});

it('sends lines with their stream and the time of the engine', async () => {
  const server = await startFakeConsole();
  const agent = await ship(server);
  await mkdir(join(agent.dir, 'logs'), { recursive: true });
  await writeFile(join(agent.dir, 'logs', 'config.v2.json'), JSON.stringify({ Name: '/gateway' }));
  await agent.write(`${cri('{"msg":"one","level":"error","time":"2026-01-01T00:00:00Z"}')}\n${cri('two', 'stderr')}\n`);
  await eventually(() => agent.shipper.state().lines).toBe(2);
  expect(batches(server).flatMap(({ body }) => body)).toMatchObject([
    { log: 'one', level: 4, log_time: TIME_S, fields: { 'log.iostream': 'stdout' } },
    { log: 'two', level: 7, log_time: TIME_S, service: 'gateway', fields: { 'log.iostream': 'stderr' } },
  ]);
});
