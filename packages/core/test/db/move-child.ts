// A process that moves a database and is killed at the Nth step of a name: `node move-child.ts '<options>' chunk 3`.
import { type MovePlace, moveDatabase } from '../../src/db/open/index.ts';

const [json = '{}', name, count = '1'] = process.argv.slice(2);
const options: { source: MovePlace; target: MovePlace } = JSON.parse(json);
let left = Number(count);

await moveDatabase({
  ...options,
  onStep(step) {
    if (step !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  },
});
