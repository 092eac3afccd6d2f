import { copyFileSync, existsSync, linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { statement } from '@quarterdeck/core/db';
import { storeSetting } from '@quarterdeck/core/sql';
import { signIn } from '@quarterdeck/sdk';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/new-folder.ts';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import {
  DIALECT,
  newPlace,
  PASSWORD,
  type Place,
  startApi,
  type TestApi,
  variablesOf,
} from '../../../test/start-api.ts';
import { KEY_OLDEST } from '../../auth/key-check.ts';
import { KEY_FILES } from '../../auth/key-files.ts';
import { openData } from '../../cli/open-data.ts';
import { readConfig } from '../../settings/config.ts';
import { verifyAudit } from '../audit/audit.verify.ts';
import { dropOldKeys } from './drop-key.ts';
import { readKeyUse } from './key-usage.repo.ts';
import { type KeyDeps, prepareNextKey, rotateKey, useKey } from './rotate-key.ts';

let place: Place;
let api: TestApi;
beforeEach(async () => {
  place = await newPlace();
  api = await startApi(place.sharing);
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

/** Does a part of a rotation beside the server: in it on SQLite, in a process of its own on PostgreSQL. */
async function beside<T>(work: (deps: KeyDeps) => Promise<T>): Promise<T> {
  const dataDir = place.sharing['DATA_DIR'] ?? '';
  if (DIALECT === 'sqlite') return await work({ ...api.server.deps, dataDir });
  await using data = await openData(readConfig(variablesOf(place.sharing)));
  const result = await work({ ...data, dataDir });
  await api.server.jobs.runAll();
  return result;
}

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.now() });

const rotate = () => beside((deps) => rotateKey(deps, async () => undefined));

/** Stops the server, as the end of its process does, and starts another one on the same data. */
async function restart(): Promise<void> {
  await api[Symbol.asyncDispose]();
  api = await startApi(place.sharing);
}

/** Numbers of what is in use and still under another key. */
async function underOther(): Promise<Record<string, number>> {
  const { db, key } = api.server.deps;
  const uses = await readKeyUse(db, key.generation, api.now());
  return Object.fromEntries(uses.filter(({ inUse }) => inUse > 0).map(({ what, inUse }) => [what, inUse]));
}

const verify = () => verifyAudit(api.server.deps.db, api.server.deps.key, 7);
const change = (text: string) => api.server.deps.db.write(({ sql }) => sql.run(statement(text)));
const stored = (file: keyof typeof KEY_FILES) => existsSync(join(place.sharing['DATA_DIR'] ?? '', KEY_FILES[file]));

/** A credential of each kind; returns the use of each, which gives the status of the answer. */
async function credentials() {
  const person = await api.person('viewer');
  const { token: before, id } = await api.admin.apiToken.create({ body: { name: 'kept' } });
  const { token } = await api.admin.apiToken.rotate({ params: { id }, body: { grace: 3600 } });
  const agent = await api.agent();
  const { token: enrolling } = await api.admin.enrollment.create({ body: { name: 'kept' } });
  const get = async (headers: Record<string, string>, path = '/admin-api/user/me') =>
    (await api.fetch(path, { headers })).status;
  const post = async (path: string, secret: string, body: object) =>
    (await api.ask('POST', path, body, { 'API-Token': secret })).status;
  let nodes = 0;
  return {
    session: () => get({ 'edge-token': person.token }),
    token: () => get({ 'API-Token': token }),
    tokenBefore: () => get({ 'API-Token': before }),
    agent: () => post(`/api/agents/${agent.id}/heartbeat`, agent.secret, {}),
    enrollment: () => {
      nodes += 1;
      return post('/api/agents/register', enrolling, { node_id: `node ${nodes}`, hostname: 'h' });
    },
  };
}

type Uses = Awaited<ReturnType<typeof credentials>>;

async function useAll(uses: Uses): Promise<void> {
  for (const [kind, use] of Object.entries(uses)) expect([kind, await use()]).toEqual([kind, 200]);
}

describe('a rotation of the key', () => {
  it('signs nobody out, also under load, and moves what is used', async () => {
    const uses = await credentials();
    await api.admin.user.me();
    const statuses = new Set<number>();
    let isDone = false;
    const { session, token, tokenBefore, agent } = uses;
    const load = [session, token, tokenBefore, agent].map(async (use) => {
      while (!isDone) statuses.add(await use());
    });
    try {
      expect(await rotate()).toEqual({ generation: 2, missingAt: [] });
      await useAll(uses);
    } finally {
      isDone = true;
      await Promise.all(load);
    }
    expect([...statuses]).toEqual([200]);
    expect(api.server.deps.key.generation).toBe(2);
    expect([stored('current'), stored('old'), stored('next')]).toEqual([true, true, false]);

    await api.server.jobs.runAll();
    // The administrator's session, which has not been used since.
    expect(await underOther()).toEqual({ sessions: 1 });
    await api.admin.user.me();
    await api.server.jobs.runAll();
    expect(await underOther()).toEqual({});

    await beside((deps) => dropOldKeys(deps, {}, false));
    expect(stored('old')).toBe(false);
    expect(api.server.deps.key.keys).toHaveLength(1);
    await useAll(uses);
    await restart();
    await useAll(uses);
    expect(await verify()).toMatchObject({ intact: true });

    expect(await rotate()).toMatchObject({ generation: 3 });
    await useAll(uses);
    await beside((deps) => dropOldKeys(deps, {}, true));
    expect(await verify()).toMatchObject({ intact: true });
  });

  it('keeps the secrets and the settings of channels', async () => {
    const body = {
      name: 'on call',
      kind: 'telegram' as const,
      token: '123456:telegram-secret-0123456789',
      chat: '-100',
    };
    const { id } = await api.admin.webhook.create({ body });
    const { id: signed } = await api.admin.webhook.create({ body: { name: 'pager', url: 'https://example.com/hook' } });
    await rotate();
    expect(await underOther()).not.toHaveProperty('secrets of webhooks');
    await beside((deps) => dropOldKeys(deps, {}, false));
    const { client } = await signIn({ url: api.url, username: 'admin', password: PASSWORD });
    expect(await client.webhook.get({ params: { id } })).toMatchObject({ chat: '-100', secrets: ['token'] });
    expect(await client.webhook.get({ params: { id: signed } })).toMatchObject({ url: 'https://example.com/hook' });
  });

  it('keeps second factors and recovery codes', async () => {
    const { client, username } = await api.person('viewer');
    const { secret } = await client.user.beginSecondFactor({ body: { password: PASSWORD } });
    const codes = await client.user.confirmSecondFactor({ body: { otp: codeOf(secret) } });
    const login = async (otp: string | undefined) => {
      const body = JSON.stringify({ username, password: PASSWORD, otp });
      return (await api.fetch('/admin-api/user/login', { method: 'POST', body })).status;
    };
    await rotate();
    expect(await underOther()).toMatchObject({ 'recovery codes': 10 });
    expect(await underOther()).not.toHaveProperty('second factors');
    expect(await login(codes.recovery_codes[0])).toBe(200);
    api.advance(60_000);
    expect(await login(codeOf(secret))).toBe(200);
    await beside((deps) => dropOldKeys(deps, {}, false));
    api.advance(60_000);
    expect(await login(codeOf(secret))).toBe(200);
    expect(await login(codes.recovery_codes[1])).toBe(401);
  });

  it('does not count what has ended', async () => {
    const { id } = await api.admin.apiToken.create({ body: { name: 'short', expire: api.now() + 60_000 } });
    await api.agent();
    const agent = await api.agent();
    await api.admin.agent.remove({ params: { id: agent.id } });
    await rotate();
    expect(await underOther()).toMatchObject({ 'API tokens': 1, agents: 1 });
    api.advance(120_000);
    expect(await underOther()).not.toHaveProperty('API tokens');
    expect(id).toBeGreaterThan(0);
  });

  it.runIf(IS_THOROUGH)('goes on after each step at which its process ended', async () => {
    const uses = await credentials();
    const dataDir = place.sharing['DATA_DIR'] ?? '';
    const path = (file: keyof typeof KEY_FILES) => join(dataDir, KEY_FILES[file]);

    await beside(async (deps) => prepareNextKey(deps));
    await restart();
    expect(api.server.deps.key.generation).toBe(1);
    await useAll(uses);
    expect(await verify()).toMatchObject({ intact: true });

    // The write is done, and the files have their names from before.
    await beside(({ db, ...deps }) => {
      const next = prepareNextKey(deps);
      copyFileSync(path('current'), `${dataDir}/first`);
      copyFileSync(path('next'), `${dataDir}/second`);
      return db.write((tx) => useKey(tx, deps, next));
    });
    await restart();
    expect(api.server.deps.key.generation).toBe(2);
    await useAll(uses);
    expect(await verify()).toMatchObject({ intact: true });

    // The old name is there, the new one not yet.
    await api.server.jobs.runAll();
    rmSync(path('old'));
    copyFileSync(`${dataDir}/first`, path('current'));
    copyFileSync(`${dataDir}/second`, path('next'));
    linkSync(path('current'), path('old'));
    await restart();
    await useAll(uses);
    await api.server.jobs.runAll();
    expect([stored('old'), stored('next')]).toEqual([true, false]);
    await expect(rotate()).rejects.toThrow('secret.key.old is still accepted');

    // The key before is dropped, and its file is still there.
    await api.server.deps.db.write((tx) => storeSetting(tx, KEY_OLDEST, '2'));
    await restart();
    expect(api.server.deps.key.keys).toHaveLength(1);
    await useAll(uses);
    await beside((deps) => dropOldKeys(deps, {}, false));
    expect(stored('old')).toBe(false);
    expect(await rotate()).toMatchObject({ generation: 3 });
    await useAll(uses);
  });

  it('does not begin with a key that is not the next one', async () => {
    const dataDir = place.sharing['DATA_DIR'] ?? '';
    copyFileSync(join(dataDir, KEY_FILES.current), join(dataDir, KEY_FILES.next));
    await expect(rotate()).rejects.toThrow('secret.key.next is not key 2');
  });

  it.skipIf(DIALECT === 'sqlite')('waits until every server has the next key', async () => {
    const uses = await credentials();
    const dir = newFolder();
    const copy = (file: keyof typeof KEY_FILES) =>
      copyFileSync(join(place.sharing['DATA_DIR'] ?? '', KEY_FILES[file]), join(dir, KEY_FILES[file]));
    copy('current');
    const second = await startApi({ ...place.sharing, DATA_DIR: dir });
    const rotateWatched = async () => {
      const dataDir = place.sharing['DATA_DIR'] ?? '';
      await using data = await openData(readConfig(variablesOf(place.sharing)));
      return await rotateKey({ ...data, dataDir }, async () => {
        await api.server.jobs.runAll();
        await second.server.jobs.runAll();
      });
    };
    try {
      expect((await rotateWatched()).missingAt).toHaveLength(1);
      expect(api.server.deps.key.generation).toBe(1);
      copy('next');
      expect((await rotateWatched()).missingAt).toEqual([]);
      await useAll(uses);
      const { token } = await api.person('viewer');
      for (const { url } of [api, second]) {
        const answer = await fetch(`${url}/admin-api/user/me`, { headers: { 'edge-token': token } });
        expect(answer.status).toBe(200);
      }
      await second.server.jobs.runAll();
      expect(second.server.deps.key.generation).toBe(2);
      expect(await verifyAudit(second.server.deps.db, second.server.deps.key)).toMatchObject({ intact: true });
    } finally {
      await second[Symbol.asyncDispose]();
    }
  });
});

describe('the audit log after a rotation', () => {
  it('shows tampering with entries under the key before, also once that key was dropped', async () => {
    await credentials();
    await rotate();
    await credentials();
    const { checked } = await verify();
    await change("UPDATE audit SET actor_name = 'x' || actor_name WHERE id = 2");
    expect(await verify()).toEqual({ intact: false, checked: 1, broken_at: 2 });
    await expect(beside((deps) => dropOldKeys(deps, {}, false))).rejects.toThrow('not intact');
    await change('UPDATE audit SET actor_name = substr(actor_name, 2) WHERE id = 2');
    await beside((deps) => dropOldKeys(deps, {}, false));
    expect(await verify()).toEqual({ intact: true, checked: checked + 1, broken_at: null });
    await change("UPDATE audit SET actor_name = 'x' || actor_name WHERE id = 2");
    // The changed one of them cannot be named any more.
    expect(await verify()).toEqual({ intact: false, checked: 0, broken_at: 1 });
  });

  it('accepts no entry under the key before after the rotation', async () => {
    await rotate();
    const { deps } = api.server;
    await change("UPDATE audit SET detail = replace(detail, 'proof', 'prooF') WHERE action = 'key.rotate'");
    expect((await verify()).intact).toBe(false);
    await change("UPDATE audit SET detail = replace(detail, 'prooF', 'proof') WHERE action = 'key.rotate'");
    expect((await verify()).intact).toBe(true);
    await deps.db.write(async ({ prisma }) => {
      const last = await prisma.audit.findFirstOrThrow({ orderBy: { id: 'desc' } });
      await prisma.audit.delete({ where: { id: last.id } });
    });
    expect((await verify()).intact).toBe(false);
  });

  it('stays intact while retention removes entries under a dropped key', async () => {
    await api[Symbol.asyncDispose]();
    api = await startApi({ ...place.sharing, AUDIT_DAYS: '30' });
    await credentials();
    api.advance(20 * 86_400_000);
    await api.person('viewer');
    await rotate();
    await beside((deps) => dropOldKeys(deps, {}, true));
    api.advance(15 * 86_400_000);
    await api.server.jobs.runAll();
    expect(await verify()).toMatchObject({ intact: true });
    await change("UPDATE audit SET address = 'x' WHERE action = 'user.login' OR action = 'key.rotate'");
    expect(await verify()).toMatchObject({ intact: false });
  });
});
