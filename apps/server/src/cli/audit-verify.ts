import { verifyAudit } from '../features/audit/audit.verify.ts';
import { type CommandCall, Refusal } from './command.ts';
import { openData } from './open-data.ts';

/** `audit verify`. */
export async function verifyAuditLog({ config, out }: CommandCall): Promise<void> {
  await using data = await openData(config());
  const { intact, checked, broken_at } = await verifyAudit(data.db, data.key);
  if (!intact) throw new Refusal(`the audit log is broken at entry ${broken_at}; ${checked} entries before it fit`);
  out(`the audit log is intact; entries checked: ${checked}`);
}
