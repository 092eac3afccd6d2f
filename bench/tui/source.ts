// Server behind a measured dashboard: a number of error-log groups, and changes on command. It runs in a process of its
// own, so that its work is not counted. It sends its address to its parent and executes the parent's messages.
import { entry, FakeServer } from '../../apps/tui/test/fake-server.ts';
import { serve } from '../../apps/tui/test/serve.ts';
import { groupLevel, groupText, randomFrom } from '../lines.ts';

/** Commands: batches of changes per second; one new group; stop. */
export type SourceCommand = { readonly perSecond: number } | { readonly add: true };

/** Groups that change in a batch, among those that can be visible. */
const CHANGES = 3;
const IN_VIEW = 20;

const groups = Number(process.argv[2]);
const random = randomFrom(groups);
const nowS = Math.floor(Date.now() / 1000);
const server = new FakeServer();
const make = (id: number) =>
  entry(id, {
    log: groupText(id),
    level: groupLevel(id),
    count: 1 + (id % 97),
    log_time: nowS - groups + id,
    source: `gw-${id % 7}`,
  });
server.errlog = Array.from({ length: groups }, (_, index) => make(groups - index));

function change(): void {
  for (let n = 0; n < CHANGES; n += 1) {
    const index = Math.floor(random() * IN_VIEW);
    const before = server.errlog[index];
    if (before === undefined) continue;
    const after = { ...before, count: before.count + 1 };
    server.errlog[index] = after;
    server.emit('errlog.repeated', after);
  }
}

let timer: NodeJS.Timeout | undefined;
process.on('message', (command: SourceCommand) => {
  if ('add' in command) {
    server.add({ ...make(server.errlog.length + 1), log_time: Math.floor(Date.now() / 1000) });
    return;
  }
  clearInterval(timer);
  if (command.perSecond > 0) timer = setInterval(change, 1000 / command.perSecond);
});
process.on('disconnect', () => process.exit(0));

const { url } = await serve(server);
process.send?.({ url, token: server.token });
