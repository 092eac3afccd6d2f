import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { KEY_FILES, type KeyFile, readKeyFile } from '../auth/key-files.ts';
import { verifyFile } from '../features/audit/audit.file.ts';
import { EXIT } from '../process/exit-codes.ts';
import { Refusal } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';

export async function checkAuditFile({ args: [file = ''], config, out }: CommandCall): Promise<void> {
  const { dataDir } = config();
  const keys = (Object.keys(KEY_FILES) as KeyFile[]).flatMap((name) => readKeyFile(dataDir, name) ?? []);
  const { first, last, unchecked, brokenAt } = await verifyFile(linesOf(file), keys);
  if (brokenAt !== undefined) throw new Refusal(`the file is broken at entry ${brokenAt}`, EXIT.auditBroken);
  out(`entries ${first} to ${last} follow each other`);
  if (unchecked > 0) {
    out(
      `the keys in ${dataDir} did not seal entries ${first} to ${first + unchecked - 1}: their content is not checked`,
    );
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new Refusal(`cannot read ${file} (${code})`);
  }
}
