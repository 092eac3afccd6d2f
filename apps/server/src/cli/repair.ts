import { formatMoment } from '@quarterdeck/core/filter';
import { unixSeconds } from '@quarterdeck/core/plain';
import { repairSegments } from '@quarterdeck/store';
import type { CommandCall } from './command.ts';

export async function repair({ openData, out, say }: CommandCall): Promise<void> {
  await using data = await openData();
  let [segments, lost] = [0, 0];
  for await (const { id, parts, kept, lost: sources } of repairSegments(data.db, unixSeconds(data.now()))) {
    segments += 1;
    out(`segment ${id}: ${parts.join(', ')} damaged; ${kept} lines kept`);
    for (const { src, lines, from, to } of sources) {
      lost += lines;
      out(
        `  lost ${lines} lines of source ${src}, from ${formatMoment({ unix: from })} to ${formatMoment({ unix: to })}`,
      );
    }
  }
  say(
    segments === 0
      ? 'no stored line is damaged'
      : `${segments} segments were repaired; ${lost} lines are lost, and the ledger counts them as damaged`,
  );
}
