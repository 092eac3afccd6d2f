import { verifyAudit } from '../features/audit/audit.verify.ts';
import { type Command, Refusal } from './command.ts';
import { openData } from './open-data.ts';

export const auditVerify: Command = {
  name: 'audit verify',
  parameters: [],
  summary: 'Check that no entry of the audit log was changed or taken out',
  async run({ config, out }) {
    await using data = await openData(config());
    const { intact, checked, broken_at } = await verifyAudit(data.db, data.key);
    if (!intact) throw new Refusal(`the audit log is broken at entry ${broken_at}; ${checked} entries before it fit`);
    out(`the audit log is intact; entries checked: ${checked}`);
  },
};
