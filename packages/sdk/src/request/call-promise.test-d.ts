// Checks the types of calls with a response: this file must compile.
import { expectTypeOf } from 'vitest';
import { type CallResponse, type Client, createClient, paginate } from '../index.ts';

declare const client: Client;

// The response has the data of the call, and a page has those of the page.
type Me = Awaited<ReturnType<Client['user']['me']>>;
expectTypeOf(client.user.me().withResponse()).resolves.toEqualTypeOf<CallResponse<Me>>();
type AgentPage = Awaited<ReturnType<Client['agent']['list']['page']>>;
expectTypeOf(client.agent.list.page().withResponse()).resolves.toEqualTypeOf<CallResponse<AgentPage>>();

// Options of one call.
client.user.me({}, { headers: { 'If-Match': '"1"' }, traceparent: '00', deadlineMs: 1, idempotencyKey: 'k' });
client.exportErrlog({ headers: { a: 'b' }, traceparent: '00' });
// @ts-expect-error: an export reads, so it is repeated without a key
client.exportErrlog({ idempotencyKey: 'k' });
// @ts-expect-error: an export takes as long as it takes
client.exportErrlog({ deadlineMs: 1 });
// @ts-expect-error: the cursor is not to be chosen
paginate(client.errlog.list, { query: { cursor: 'x' } });

// Credentials come as text, or from a function, at once or later.
createClient({ url: '', apiToken: 'a', sessionToken: () => undefined });
createClient({ url: '', apiToken: async () => 'a', onUnauthorized: async ({ code }) => code });
createClient({ url: '', onUnauthorized: () => undefined });
// @ts-expect-error: a credential is text
createClient({ url: '', apiToken: async () => 7 });

// A hook before the attempt may return one for its end, now or later.
createClient({ url: '', onAttempt: () => undefined });
createClient({
  url: '',
  onAttempt: ({ headers }) => {
    headers['a'] = 'b';
  },
});
createClient({ url: '', onAttempt: async () => {} });
createClient({ url: '', onAttempt: async () => (info) => void info.status });
