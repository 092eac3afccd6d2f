import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useDataFolder } from '../../test/command-line.ts';

const { dataDir, run, withData, lastEntry } = useDataFolder();

describe('quarterdeckd key', () => {
  it('rotates the key, shows what is under the one before, and drops it, also by force', async () => {
    expect(await run(['key', 'status'])).toMatchObject({
      code: 0,
      out: 'key in use: 1\nnothing is under another key\n',
    });
    expect(await run(['token', 'create', '--user', 'ada', '--name', 'old'])).toMatchObject({ code: 0 });

    expect(await run(['key', 'rotate'])).toMatchObject({ code: 0, err: expect.stringContaining('key 2 is in use') });
    expect(await lastEntry()).toMatchObject({ action: 'key.rotate', actorKind: 'local' });
    expect((await run(['key', 'status'])).out.split('\n')).toEqual([
      'key in use: 2',
      'still accepted: 1',
      'under another key: 1 API tokens',
      'audit log: entries before 3 are sealed under a key before',
      '',
    ]);
    expect(await run(['key', 'rotate'])).toMatchObject({ code: 2, err: expect.stringContaining('key drop-old') });

    expect(await run(['key', 'drop-old'])).toMatchObject({ code: 1, err: expect.stringContaining('1 API tokens') });
    expect(existsSync(join(dataDir, 'secret.key.old'))).toBe(true);
    await withData((db) => db.write((tx) => tx.prisma.apiToken.updateMany({ data: { expireMs: 1n } })));
    expect((await run(['key', 'status'])).out).toContain('0 API tokens, and 1 that have ended');
    expect(await run(['key', 'drop-old'])).toMatchObject({ code: 0 });
    expect(existsSync(join(dataDir, 'secret.key.old'))).toBe(false);
    expect(await run(['audit', 'verify'])).toMatchObject({ code: 0 });
    expect(await run(['key', 'drop-old'])).toMatchObject({ code: 0 });

    const { out } = await run(['audit', 'export']);
    const file = join(dataDir, 'audit.ndjson');
    writeFileSync(file, out);
    // The first key was dropped, so nobody can compute the hashes before the rotation.
    expect(await run(['audit', 'check', file])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/entries 1 to 2: /),
    });
    writeFileSync(file, out.replace('"key.drop_old"', '"key.drop"'));
    expect(await run(['audit', 'check', file])).toMatchObject({ code: 3 });
    expect(await run(['audit', 'check', join(dataDir, 'none')])).toMatchObject({ code: 1 });
    expect((await run(['audit', 'export', '--after', '2'])).out).toBe(out.split('\n').slice(2).join('\n'));
    expect(await run(['audit', 'export', '--after', 'x'])).toMatchObject({ code: 2 });

    await run(['key', 'rotate']);
    await run(['token', 'create', '--user', 'ada', '--name', 'new']);
    await withData((db) => db.write((tx) => tx.prisma.apiToken.updateMany({ data: { expireMs: 0n } })));
    const dropped = await run(['key', 'drop-old', '--force']);
    expect(dropped).toMatchObject({ code: 0, err: expect.stringContaining('ended: 1 API tokens') });
    expect(JSON.parse((await lastEntry())?.detail ?? '')).toEqual({ key: 3, dropped: { 'API tokens': 1 } });
    expect(await run(['audit', 'verify'])).toMatchObject({ code: 0 });
  });
});
