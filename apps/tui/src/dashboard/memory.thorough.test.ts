import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MB = 1024 * 1024;

/** Size of the young generation after much short-lived work in a process of its own, in bytes. */
function youngBytes(prepare: string): number {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    ${prepare}
    let kept = [];
    for (let n = 0; n < 3_000_000; n += 1) {
      kept.push({ n });
      if (kept.length > 200_000) kept = [];
    }
    console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);`;
  const flags = ['--conditions=@quarterdeck/source', '--input-type=module'];
  return Number(execFileSync(process.execPath, [...flags, '--eval', program], { encoding: 'utf8' }));
}

it('has a young generation that keeps its size', () => {
  const url = new URL('./memory.ts', import.meta.url);
  const bounded = youngBytes(`(await import('${url}')).boundMemory();`);
  expect(bounded).toBeLessThan(8 * MB);
  // Without the flags it grows, so that the comparison says something.
  expect(youngBytes('')).toBeGreaterThan(1.5 * bounded);
});
