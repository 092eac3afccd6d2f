// The list of users, for tests of what every list does.
import { FakeServer } from './fake-server.ts';
import { openTui, type Tui } from './render-tui.tsx';

/** Opens the list of users with these names, viewers and operators in turn. */
export async function onUsers(names: readonly string[] = ['web-1', 'web-2', 'db-1'], columns = 100): Promise<Tui> {
  const server = new FakeServer();
  server.users = names.map((username, index) => ({
    id: index + 1,
    username,
    role: index % 2 === 0 ? 'viewer' : 'operator',
    disabled: false,
    second_factor: false,
    _created_unix: 1_760_000_000 - index,
    _modified_unix: 1_760_000_000,
  }));
  const tui = await openTui('● live', { server, columns });
  await tui.type(':users\r').until(`1 of ${names.length}`);
  return tui;
}
