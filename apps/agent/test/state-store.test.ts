import { expect, it } from 'vitest';
import { stateFileIn } from '../src/files/state.ts';
import { createStateStore } from '../src/files/state-store.ts';
import { createLog } from '../src/log.ts';
import { temporaryFolder } from './temporary.ts';

it('saves concurrent changes one after the other', async () => {
  const file = stateFileIn(await temporaryFolder());
  const stateStore = createStateStore(
    file,
    { node_id: 'node-1' },
    createLog({ write: () => undefined }, 'silent', false),
  );
  const settings = { catch_transient_event: true, autorun_tools: false };
  const saved = await Promise.all([stateStore.update({ settings }), stateStore.update({ operations: [] })]);
  expect(saved).toEqual([true, true]);
  expect(await file.load()).toEqual({ state: { node_id: 'node-1', settings, operations: [] } });
});
