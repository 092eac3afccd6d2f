import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { KEY_FILES, type KeyFile, readKeyFile } from '../auth/key-files.ts';
import { exportAudit } from '../features/audit/audit.export.ts';
import { verifyFile } from '../features/audit/audit.file.ts';
import { verifyAudit } from '../features/audit/audit.verify.ts';
import { EXIT } from '../process/exit-codes.ts';
import { Refusal, UsageError } from '../process/refusal.ts';
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

export async function exportAuditLog({ option, openData, out, drained }: CommandCall): Promise<void> {
  const after = option('after') ?? '0';
  if (!/^\d{1,9}$/.test(after)) throw new UsageError('--after needs the id of an entry, such as 1200');
  await using data = await openData();
  for await (const piece of exportAudit(data.db, Number(after))) {
    if (piece !== '') out(piece.trimEnd());
    await drained?.();
  }
}

export async function verifyAuditLog({ openData, out }: CommandCall): Promise<void> {
  await using data = await openData();
  const { intact, checked, broken_at } = await verifyAudit(data.db, data.key);
  if (!intact) {
    const found = `the audit log is broken at entry ${broken_at}; ${checked} entries before it fit`;
    throw new Refusal(found, EXIT.auditBroken);
  }
  out(`the audit log is intact; entries checked: ${checked}`);
}
