import { createRetention, retentionLimits } from '../features/errlog/errlog.retention.ts';
import type { CommandCall } from './command.ts';

export async function showRetention({ config, openData, out }: CommandCall): Promise<void> {
  const settings = config();
  await using data = await openData();
  const limits = retentionLimits(settings);
  const { groups, lines } = await createRetention(data.db, limits, data.now).preview();
  const days = (n: number) => (n === 0 ? 'for ever' : `for ${n} days`);
  out(`groups not seen any more are kept ${days(limits.groupDays)}: ${groups} would be deleted`);
  out(`lines are kept ${days(limits.occurrenceDays)}: ${lines} would be deleted`);
}
