// Timing of the compositor: at once after a key, otherwise not too often, and never more than the terminal accepts.
import { describe, expect, it } from 'vitest';
import { Compositor, type Pacing } from '../../src/terminal/compositor.ts';

/** A terminal that accepts output when asked to. */
function slow(pacing: Pacing) {
  const sent: string[] = [];
  const taken: (() => void)[] = [];
  const compositor = new Compositor(
    {
      columns: 20,
      rows: 2,
      write(text, written) {
        sent.push(text);
        taken.push(written);
      },
    },
    pacing,
  );
  return { compositor, sent, take: () => taken.splice(0).forEach((written) => void written()) };
}

/** Runs everything that waits for the end of the turn. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const NEVER = { everyMs: 1e9, urgentMs: 1e9 };

describe('the compositor', () => {
  it('delays data, but not changes after a key', async () => {
    const { compositor, sent, take } = slow(NEVER);
    compositor.frame('one');
    await turns();
    take();
    expect(sent).toHaveLength(1);
    compositor.frame('two');
    await turns();
    expect(sent).toHaveLength(1);
    compositor.urgent();
    await turns();
    take();
    expect(sent.at(-1)).toContain('two');
    compositor.frame('quick');
    await turns();
    expect(sent.at(-1)).toContain('quick');
    compositor.stop();
  });

  it('paints several changes of one turn once', async () => {
    const { compositor, sent } = slow({ everyMs: 0, urgentMs: 0 });
    for (const frame of ['one', 'two', 'three']) compositor.frame(frame);
    await turns();
    expect(sent).toEqual([expect.stringContaining('three')]);
    compositor.stop();
  });

  it('drops states that a slow terminal has not accepted', async () => {
    const { compositor, sent, take } = slow({ everyMs: 0, urgentMs: 0 });
    for (const frame of ['one', 'two', 'three', 'four']) {
      compositor.frame(frame);
      await turns();
    }
    expect(sent).toEqual([expect.stringContaining('one')]);
    take();
    await turns();
    expect(sent).toEqual([expect.stringContaining('one'), expect.stringContaining('four')]);
    compositor.stop();
  });

  it('writes nothing while the terminal is lent, and everything afterwards', async () => {
    const { compositor, sent, take } = slow({ everyMs: 0, urgentMs: 0 });
    compositor.frame('one\nsame');
    await turns();
    take();
    compositor.stop();
    compositor.frame('two\nsame');
    await turns();
    expect(sent).toHaveLength(1);
    compositor.start();
    await turns();
    expect(sent.at(-1)).toContain('two');
    expect(sent.at(-1)).toContain('same');
    compositor.stop();
  });
});
