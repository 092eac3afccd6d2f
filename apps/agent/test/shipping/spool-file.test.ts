import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { everyThird } from '../../../../test/thoroughness.ts';
import { Batch } from '../../src/api/batch.ts';
import { packBatch, readBatch } from '../../src/ship/spool-file.ts';
import { temporaryFolder } from '../temporary.ts';

const PLACE = { path: '/logs/a', key: '1:2', family: '/logs/a', size: 10, offset: 10, head: 'YQ==', tail: 'Yg==' };

function packed(): Buffer {
  const batch = new Batch();
  batch.add({ line: { level: 4, log: 'one', log_time: 1 }, lacksTime: false, lacksLevel: false });
  const numbers = { spool: 'one', number: 3, read: 7, dropped: { rotation: 0, spool_full: 1, skipped: 2 } };
  return packBatch(batch.seal(), { globs: ['/logs/*'], files: [PLACE] }, numbers);
}

/** Reads a file with this content. */
async function readIn(folder: string, content: Buffer) {
  const path = join(folder, 'file');
  await writeFile(path, content);
  return readBatch(path);
}

it('refuses a spool file with any bit changed, or reads what was written', async () => {
  const folder = await temporaryFolder();
  const content = packed();
  const whole = await readIn(folder, content);
  expect(whole?.lines).toBe(1);
  let refused = 0;
  const bytes = nonEmpty(everyThird([...content.keys()], 0));
  for (const at of bytes) {
    const changed = Buffer.from(content);
    changed[at] = (content[at] ?? 0) ^ (1 << (at % 8));
    const batch = await readIn(folder, changed);
    if (batch === undefined) refused += 1;
    else expect(batch, `byte ${at}`).toEqual(whole);
  }
  // Some bits have no meaning: the time and the system in the header of gzip.
  expect(refused).toBeGreaterThan(bytes.length - 16);
});

it('reads a spool file of version 0.1.0, which has no checksum of its head and no numbers', async () => {
  const content = packed();
  const end = content.indexOf('\n');
  const head = { ...JSON.parse(content.toString('utf8', 0, end)), head_crc: undefined, numbers: undefined };
  const old = Buffer.concat([Buffer.from(JSON.stringify(head)), content.subarray(end)]);
  expect(await readIn(await temporaryFolder(), old)).toMatchObject({
    lines: 1,
    positions: { files: [{ offset: 10 }] },
  });
});
