// Checks the types of a fake: this file must compile.
import { expectTypeOf } from 'vitest';
import type { AgentEvent, ErrlogEntry, NewApiToken } from '../generated/nouns.ts';
import { build, createFake } from './index.ts';

const fake = createFake();

// A list is answered with rows or a page, everything else with its data.
fake.on('errlog.list', [build.errlogEntry()]);
fake.on('errlog.list', { data: [], meta: { count: 0, capped: true } });
fake.on('agent.list', async ({ query }) => [build.agent({ env: query.env ?? 'host' })]);
fake.on('apiToken.update', ({ params, body }) => {
  expectTypeOf(params.id).toEqualTypeOf<number>();
  expectTypeOf(body.name).toEqualTypeOf<string | undefined>();
});
// @ts-expect-error -- rows of another noun
fake.on('errlog.list', [build.agent()]);
// @ts-expect-error -- no data
fake.on('errlog.get', () => undefined);
// @ts-expect-error -- no such endpoint
fake.on('errlog.lists', []);
// @ts-expect-error -- no such error
fake.fails('errlog.list', 'overload');
// @ts-expect-error -- data of another event
fake.emit('agent.online', build.errlogEntry());
// @ts-expect-error -- no such field
build.errlogEntry({ text: 'disk full' });

expectTypeOf(fake.callsOf('apiToken.create')[0]?.body.scopes?.[0]).not.toBeAny();
expectTypeOf(build.errlogEntry()).toEqualTypeOf<ErrlogEntry>();
expectTypeOf(build.newApiToken()).toEqualTypeOf<NewApiToken>();
expectTypeOf(build.agentEvent()).toEqualTypeOf<AgentEvent>();
