import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

/** The modules that the thread loads, by their URLs. */
async function modulesOfThread(): Promise<string[]> {
  const tell = `import { registerHooks } from 'node:module';
    import { parentPort } from 'node:worker_threads';
    registerHooks({ load(url, context, next) { parentPort.postMessage(url); return next(url, context); } });`;
  const urls: string[] = [];
  const worker = new Worker(new URL('./errlog.intake.worker.ts', import.meta.url), {
    // It ends when it has loaded everything, as there is no such database.
    workerData: { file: join(tmpdir(), 'nowhere', 'quarterdeck.db'), turnMs: 1_000, settings: {} },
    env: {},
    execArgv: ['--conditions=@quarterdeck/source', `--import=data:text/javascript,${encodeURIComponent(tell)}`],
  });
  worker.on('message', (url: string) => urls.push(url));
  const failure = await new Promise<Error>((resolve) => {
    worker.on('error', (error) => resolve(error as Error));
  });
  expect(failure.message).toContain('directory does not exist');
  return urls;
}

it('loads what it writes with, and no schemas, which every thread would have for itself', async () => {
  const modules = await modulesOfThread();
  expect(modules.filter((url) => url.includes('/errlog.writer.ts'))).toHaveLength(1);
  expect(modules.filter((url) => /node_modules\/(?!.*better-sqlite3)|\/generated\//.test(url))).toEqual([]);
});
