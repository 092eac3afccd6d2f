import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IS_THOROUGH } from '../../../../test/thoroughness.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import type { FoundChange, Observed } from '../observe/watcher.ts';
import { containerWatcher } from './containers.ts';

const { signal } = new AbortController();
const STARTED = '2026-03-01T10:00:00.123456789Z';
const FINISHED = '2026-03-01T11:00:00.5Z';

/** A container of the fake service. */
interface Container {
  readonly id?: string;
  readonly image?: string;
  readonly digest?: string;
  readonly restarts?: number;
  readonly status?: string;
  readonly state?: Readonly<Record<string, unknown>>;
}

/** A server that speaks the part of Docker's API that is used. */
async function dockerHost() {
  const socket = join(await temporaryFolder(), 'docker.sock');
  const host = {
    containers: {} as Record<string, Container>,
    body: undefined as string | undefined,
    isBusy: false,
    inspected: 0,
    nowMs: 0,
    isCut: false,
    bodyOfOne: undefined as string | undefined,
  };
  const idOf = (name: string): string => host.containers[name]?.id ?? Buffer.from(name.padEnd(16)).toString('hex');
  const list = () =>
    Object.entries(host.containers).map(
      ([name, { image = 'nginx:1.25', digest = 'a'.repeat(64), status = 'Up 5 minutes' }]) => ({
        Id: idOf(name),
        Names: [`/${name}`],
        Image: image,
        ImageID: `sha256:${digest}`,
        Status: status,
      }),
    );
  const server = createServer((request, response) => {
    if (host.isCut) return void response.write('[', () => response.destroy());
    const isList = request.url === '/containers/json?all=1';
    if (host.body !== undefined && isList) return void response.end(host.body);
    if (host.bodyOfOne !== undefined) return void response.end(host.bodyOfOne);
    if (isList) return void response.end(JSON.stringify(list()));
    const name = Object.keys(host.containers).find((one) => request.url === `/containers/${idOf(one)}/json`);
    if (host.isBusy) return void response.writeHead(500).end('{}');
    if (name === undefined) return void response.writeHead(404).end('{}');
    host.inspected += 1;
    const { restarts = 0, state = {} } = host.containers[name] ?? {};
    const State = { Status: 'running', StartedAt: STARTED, FinishedAt: '0001-01-01T00:00:00Z', ...state };
    response.end(JSON.stringify({ Id: idOf(name), RestartCount: restarts, State, Config: { Env: ['SECRET=1'] } }));
  });
  server.listen(socket);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { look } = containerWatcher({ socket, monotonicMs: () => host.nowMs });
  let observed: Observed | undefined;
  return {
    host,
    look,
    async next(containers: Record<string, Container>): Promise<readonly FoundChange[]> {
      host.containers = containers;
      const found = await look(observed, signal);
      observed = found.observed;
      return found.changes;
    },
  };
}

describe('containers', () => {
  it('report another image by name and digest', async () => {
    const { next } = await dockerHost();
    expect(await next({ web: {}, db: { image: 'postgres:16' } })).toEqual([]);
    const changes = await next({ web: { image: 'nginx:1.27', digest: 'b'.repeat(64) }, db: { image: 'postgres:16' } });
    expect(changes).toEqual([
      {
        kind: 'container',
        field: 'web',
        from: `nginx:1.25 sha256:${'a'.repeat(16)}`,
        to: `nginx:1.27 sha256:${'b'.repeat(16)}`,
      },
    ]);
  });

  it('report a container that ended, with its code, at its time', async () => {
    const { next } = await dockerHost();
    await next({ web: {}, db: {}, cache: {} });
    const exited = { Status: 'exited', FinishedAt: FINISHED };
    const changes = await next({
      web: { state: { ...exited, ExitCode: 137, OOMKilled: true } },
      db: { state: { ...exited, ExitCode: 1 } },
      cache: { state: { Status: 'paused' } },
    });
    expect(changes.map(({ to }) => to).slice(1)).toEqual(['exited (code 1)', 'paused']);
    expect(changes.slice(0, 1)).toEqual([
      {
        kind: 'container',
        field: 'web (state)',
        from: 'running',
        to: 'exited (code 137, out of memory)',
        atMs: Date.parse(FINISHED),
      },
    ]);
  });

  it('report a restart by people and restarts by the service', async () => {
    const { next } = await dockerHost();
    await next({ web: {} });
    const again = { StartedAt: FINISHED };
    expect(await next({ web: { state: again } })).toMatchObject([
      { field: 'web (state)', from: 'running', to: 'running, restarted', atMs: Date.parse(FINISHED) },
    ]);
    expect(await next({ web: { state: again } })).toEqual([]);
    expect(await next({ web: { state: again, restarts: 4 } })).toMatchObject([{ to: 'restarted automatically' }]);
  });

  it('are known by their id without a name, and images by their digest', async () => {
    const { host, look } = await dockerHost();
    const id = 'd'.repeat(64);
    host.body = JSON.stringify([{ Id: id, Names: null, Image: `sha256:${'e'.repeat(64)}`, ImageID: 'e'.repeat(64) }]);
    host.bodyOfOne = '{"State":{"Status":"created"}}';
    const { observed } = await look(undefined, signal);
    expect(observed).toEqual({
      [id.slice(0, 12)]: `sha256:${'e'.repeat(16)}`,
      [`${id.slice(0, 12)} (state)`]: 'created\t\t0',
    });
  });

  it.runIf(IS_THOROUGH)('are at most 200', async () => {
    const { host, look } = await dockerHost();
    host.containers = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`web-${at}`, {}]));
    expect(Object.keys((await look(undefined, signal)).observed)).toHaveLength(400);
  });

  it('report a container that is removed while it is asked for', async () => {
    const { host, look, next } = await dockerHost();
    await next({ web: {} });
    const { observed } = await look(undefined, signal);
    host.body = JSON.stringify([{ Id: 'f'.repeat(64), Names: ['/web'], Image: 'nginx:1.25' }]);
    host.containers = {};
    const { changes } = await look(observed, signal);
    expect(changes).toContainEqual({ kind: 'container', field: 'web (state)', from: 'running', to: '' });
  });

  it('keep the last observation when an answer is cut', async () => {
    const { host, look } = await dockerHost();
    host.isCut = true;
    await expect(look({}, signal)).rejects.toThrow(/aborted|hang up/);
  });

  it('are asked for only while their status leaves room for a restart', async () => {
    const { host, next } = await dockerHost();
    const steady = { web: { status: 'Up 3 hours' }, db: { status: 'Up About an hour (healthy)' } };
    await next(steady);
    expect(await next(steady)).toEqual([]);
    expect(host.inspected).toBe(2);

    const restarted = { web: { status: 'Up 2 seconds', state: { StartedAt: FINISHED } }, db: steady.db };
    expect(await next(restarted)).toMatchObject([{ field: 'web (state)', to: 'running, restarted' }]);
    expect(host.inspected).toBe(3);

    host.nowMs = 30 * 60 * 1000;
    const missed = {
      web: { ...restarted.web, status: 'Up 2 hours' },
      db: { ...steady.db, state: { StartedAt: FINISHED } },
    };
    expect(await next(missed)).toMatchObject([{ field: 'db (state)', to: 'running, restarted' }]);
  });

  it('report a steady container that becomes unhealthy, and another one of the same name', async () => {
    const { next } = await dockerHost();
    const status = 'Up 3 hours (healthy)';
    await next({ web: { status }, db: { status } });
    const unhealthy = { status: 'Up 3 hours (unhealthy)', state: { Health: { Status: 'unhealthy' } } };
    const changes = await next({ web: unhealthy, db: { status, id: 'c'.repeat(64) } });
    expect(changes.map(({ field, to }) => [field, to])).toEqual([
      ['web (state)', 'running (unhealthy)'],
      ['db (state)', 'running, restarted'],
    ]);
  });

  it('report containers that come and go, once each', async () => {
    const { next } = await dockerHost();
    await next({ web: {} });
    const changes = await next({ db: { image: 'postgres:16' } });
    expect(changes.map(({ field, from, to }) => [field, from, to])).toEqual([
      ['db (state)', '', 'running'],
      ['web (state)', 'running', ''],
    ]);
  });

  it('keep the last observation while the service cannot answer for each', async () => {
    const { host, look, next } = await dockerHost();
    await next({ web: {} });
    host.isBusy = true;
    await expect(look({}, signal)).rejects.toThrow('status 500');
  });

  it('keep nothing of the environment of a container', async () => {
    const { host, look } = await dockerHost();
    host.containers = { web: {} };
    expect(JSON.stringify(await look(undefined, signal))).not.toContain('SECRET');
  });

  it.each([
    ['is no JSON', 'oops', 'JSON'],
    ['has another form', '{"message":"no"}', 'expected array'],
    ['is endless', `"${'x'.repeat(5 * 1024 * 1024)}"`, 'an answer of more than'],
    ['has an id that is a path', '[{"Id":"../../images/json?"}]', 'Id'],
  ])('reject an answer that %s', async (_, body, message) => {
    const { host, look } = await dockerHost();
    host.body = body;
    await expect(look(undefined, signal)).rejects.toThrow(message);
  });

  it('keep the last observation without a service', async () => {
    const { look } = containerWatcher({ socket: join(await temporaryFolder(), 'none.sock'), monotonicMs: () => 0 });
    await expect(look({}, signal)).rejects.toThrow('ENOENT');
  });

  it('are not looked for without a socket', async () => {
    expect(await containerWatcher({ socket: undefined, monotonicMs: () => 0 }).look(undefined, signal)).toEqual({
      observed: {},
      changes: [],
    });
  });
});
