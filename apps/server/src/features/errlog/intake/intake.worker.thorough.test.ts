import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

/** The modules that a thread loads, by their URLs, until it tells an answer to `order` or fails. */
async function modulesOfThread(name: string, workerData: object, order?: object): Promise<string[]> {
  const tell = `import { registerHooks } from 'node:module';
    import { parentPort } from 'node:worker_threads';
    registerHooks({ load(url, context, next) { parentPort.postMessage(url); return next(url, context); } });`;
  const urls: string[] = [];
  const ended = Promise.withResolvers<void>();
  const worker = new Worker(new URL(name, import.meta.url), {
    workerData,
    env: {},
    execArgv: ['--conditions=@quarterdeck/source', `--import=data:text/javascript,${encodeURIComponent(tell)}`],
  });
  worker.on('message', (said: unknown) => {
    if (typeof said === 'string') urls.push(said);
    else ended.resolve();
  });
  worker.on('error', (error) => {
    expect((error as Error).message).toContain('directory does not exist');
    ended.resolve();
  });
  if (order !== undefined) worker.postMessage(order);
  await ended.promise;
  await worker.terminate();
  return urls;
}

const FOREIGN = /node_modules\/(?!.*(better-sqlite3|@bufbuild\/protobuf))|\/generated\//;

describe('a thread loads what it works with, and no schemas, which it would have for itself', () => {
  it('to write', async () => {
    // It ends when it has loaded everything, as there is no such database.
    const file = join(tmpdir(), 'nowhere', 'quarterdeck.db');
    const modules = await modulesOfThread('./intake.worker.ts', { file, turnMs: 1_000, settings: {} });
    expect(modules.filter((url) => url.includes('/batch-writer.ts'))).toHaveLength(1);
    expect(modules.filter((url) => FOREIGN.test(url))).toEqual([]);
  });

  it('to read', async () => {
    const body = { bytes: new Uint8Array(), form: 'json', from: { name: '', address: '' } };
    const modules = await modulesOfThread('./body-reader.worker.ts', {}, { body, nowS: 0, hashed: false });
    expect(modules.filter((url) => url.includes('/intake/incoming.ts'))).toHaveLength(1);
    expect(modules.filter((url) => FOREIGN.test(url) || url.includes('/db/'))).toEqual([]);
  });
});
