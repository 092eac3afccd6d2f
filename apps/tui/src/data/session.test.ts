import { describe, expect, it } from 'vitest';
import { FakeServer } from '../../test/fake-server.ts';
import { type Account, createSession, type Session } from './session.ts';

/** Returns the user of a session. */
function accountOf(session: Session): Account {
  const state = session.state();
  if (state.status !== 'signedIn') throw new Error(`not signed in but ${state.status}`);
  return state.account;
}

const me = { username: 'admin', remember: false } as const;

describe('signing out', () => {
  it('keeps a new sign-in while the old session is still ending', async () => {
    const server = new FakeServer();
    const gate = Promise.withResolvers<void>();
    const session = createSession({
      url: server.url,
      async fetch(input, init) {
        const answer = await server.fetch(input, init);
        if (String(input).endsWith('/logout')) await gate.promise;
        return answer;
      },
    });
    await session.signIn({ ...me, password: server.password });
    const signedOut = session.signOut(10_000);
    expect(session.state().status).toBe('signedOut');
    expect(await session.signIn({ ...me, password: server.password })).toBeNull();
    gate.resolve();
    await signedOut;
    expect(await accountOf(session).client.user.me({})).toMatchObject({ username: 'admin' });
    session.close();
  });
});

describe('a refused credential', () => {
  it('expires its own account, not a later one', async () => {
    const server = new FakeServer();
    const session = createSession({ url: server.url, fetch: server.fetch });
    await session.signIn({ ...me, password: server.password });
    const before = accountOf(session);
    await session.signIn({ ...me, password: server.password });
    const failure = { kind: 'unauthorized', message: 'Your session has ended.', fields: {} } as const;
    session.expire(before, failure);
    expect(session.state().status).toBe('signedIn');
    session.expire(accountOf(session), failure);
    expect(session.state()).toMatchObject({ status: 'expired', notice: 'Your session has ended.' });
    session.close();
  });
});
