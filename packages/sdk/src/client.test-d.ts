// Checks the types of the client: this file must compile.
import { expectTypeOf } from 'vitest';
import {
  type Agent,
  type AgentListInput,
  type ApiToken,
  type Call,
  type Client,
  type ErrlogEntry,
  type ErrorCode,
  type HeartbeatResponse,
  isApiError,
  type ListCall,
  type LoginResult,
  type Me,
  type NewApiToken,
  type NoInput,
  type Page,
  paginate,
  type QuarterdeckEvent,
  type Route,
} from './index.ts';

declare const client: Client;
declare const error: unknown;

// A call resolves with the type of the contract.
expectTypeOf(client.user.login).returns.resolves.toEqualTypeOf<LoginResult>();
expectTypeOf(client.apiToken.list).returns.resolves.toExtend<Page<ApiToken>>();
expectTypeOf(client.apiToken.create).returns.resolves.toEqualTypeOf<NewApiToken>();
expectTypeOf(client.apiToken.remove).returns.resolves.toEqualTypeOf<undefined>();
expectTypeOf(client.agent.heartbeat).returns.resolves.toEqualTypeOf<HeartbeatResponse>();

// Input may be omitted only where no slot is required.
client.user.me();
client.user.me({}, { timeoutMs: 1 });
client.user.me(undefined, { signal: undefined });
client.apiToken.list();
client.apiToken.list({});
client.apiToken.list({ query: { page: 2, page_size: undefined } });
client.apiToken.create({ body: {} });
// @ts-expect-error: which one?
client.apiToken.get();
// @ts-expect-error: which one?
client.apiToken.get({});
// @ts-expect-error: an id is a number
client.apiToken.get({ params: { id: '7' } });
// @ts-expect-error: there is no such filter
client.apiToken.list({ query: { level: 4 } });
// @ts-expect-error: an endpoint without input takes none
client.user.me({ query: { page: 1 } });
// @ts-expect-error: a password is needed
client.user.login({ body: { username: 'ada' } });
// @ts-expect-error: there is no such endpoint
client.apiToken.purge();

// The agent list is a bare array on the wire; a page of it looks like any other page.
expectTypeOf(client.agent.list).returns.resolves.toEqualTypeOf<Agent[]>();
expectTypeOf(client.agent.list.page).returns.resolves.toEqualTypeOf<Page<Agent>>();
expectTypeOf(client.apiToken.list.page).returns.resolves.toExtend<Page<ApiToken>>();
expectTypeOf(client.user.me).not.toHaveProperty('page');
expectTypeOf(client.agent.list.endpoint.access).toEqualTypeOf<Route['access']>();
expectTypeOf(client.agent.list).toExtend<ListCall<AgentListInput, Agent[], Page<Agent>>>();
expectTypeOf(client.user.me).toExtend<Call<NoInput, Me>>();

// A list is read by its rows; callers do not set its paging.
expectTypeOf(paginate(client.agent.list)).toExtend<AsyncIterable<Agent>>();
expectTypeOf(paginate(client.errlog.list, { query: { level: 4 } }).pages()).toExtend<AsyncIterable<ErrlogEntry[]>>();
paginate(client.agent.list, { query: { include_deleted: true } }, { distinctBy: (row) => row.node_id });
// @ts-expect-error: the page is not to be chosen
paginate(client.agent.list, { query: { _page: 2 } });
// @ts-expect-error: there is no such filter
paginate(client.agent.list, { query: { level: 4 } });
// @ts-expect-error: not a list
paginate(client.user.me);

// The type of an event decides its data; `resync` comes with any selection.
expectTypeOf(client.events()).toExtend<AsyncIterable<QuarterdeckEvent>>();
for await (const event of client.events({ types: ['agent.online', 'agent.offline'] })) {
  expectTypeOf(event.type).toEqualTypeOf<'agent.online' | 'agent.offline' | 'resync'>();
  if (event.type === 'agent.online') expectTypeOf(event.data).toEqualTypeOf<Agent>();
}
// @ts-expect-error: there is no such type
client.events({ types: ['agent.exploded'] });

// Codes of the table are suggested, codes of a newer server accepted.
if (isApiError(error)) {
  expectTypeOf<ErrorCode>().toExtend<typeof error.code>();
  if (error.code === 'otp_required') expectTypeOf(error.status).toEqualTypeOf<number>();
}
