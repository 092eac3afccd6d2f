// A night on call, with a phone: the shortest of the stories, which runs with every change.
import { describe, expect, it } from 'vitest';
import { watch } from '../../server/test/alert-calls.ts';
import { PASSWORD } from '../../server/test/start-api.ts';
import { word } from '../../server/test/word.ts';
import { hasNoBrowser, useVisitors } from './visitor.ts';

describe.skipIf(hasNoBrowser)('a link in a message, opened on a phone', () => {
  const { api, open } = useVisitors();

  it('leads through the sign-in to the alert, which is muted and unmuted with a thumb', async () => {
    const rule = await watch(api, { kind: 'errlog.new' });
    const log = `payment ${word()} refused`;
    await api.admin.errlog.append({ body: { level: 'error', log, count: 3 } });
    await rule.round();
    const [alert] = await rule.alerts();
    const { username } = await api.person('operator');

    await using visitor = await open();
    const { page } = visitor;
    await visitor.goTo(`/a/${alert?.id}`);
    await visitor.type('User name', username);
    await visitor.type('Password', 'not the password');
    await visitor.press('Sign in');
    await visitor.sees('Incorrect user name or password. Try again.');
    await visitor.type('Password', PASSWORD);
    await visitor.press('Sign in');

    await page.getByRole('heading', { name: log }).waitFor();
    expect(visitor.place()).toBe(`/a/${alert?.id}`);
    await visitor.press('Mute');
    await visitor.press('1 hour');
    await visitor.sees('Muted: 1 hour.');
    expect((await api.admin.alert.instance({ params: { id: alert?.id ?? 0 } })).muted_until).not.toBeNull();
    await visitor.press('Undo');
    await visitor.sees('Undone.');
    expect((await api.admin.alert.instance({ params: { id: alert?.id ?? 0 } })).muted_until).toBeNull();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
