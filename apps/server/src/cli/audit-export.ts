import { exportAudit } from '../features/audit/audit.export.ts';
import { UsageError } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';

export async function exportAuditLog({ option, openData, out, drained }: CommandCall): Promise<void> {
  const after = option('after') ?? '0';
  if (!/^\d{1,9}$/.test(after)) throw new UsageError('--after needs the id of an entry, such as 1200');
  await using data = await openData();
  for await (const piece of exportAudit(data.db, Number(after))) {
    if (piece !== '') out(piece.trimEnd());
    await drained?.();
  }
}
