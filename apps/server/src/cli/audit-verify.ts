import { verifyAudit } from '../features/audit/audit.verify.ts';
import { EXIT } from '../process/exit-codes.ts';
import { Refusal } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';

export async function verifyAuditLog({ openData, out }: CommandCall): Promise<void> {
  await using data = await openData();
  const { intact, checked, broken_at } = await verifyAudit(data.db, data.key);
  if (!intact) {
    const found = `the audit log is broken at entry ${broken_at}; ${checked} entries before it fit`;
    throw new Refusal(found, EXIT.auditBroken);
  }
  out(`the audit log is intact; entries checked: ${checked}`);
}
