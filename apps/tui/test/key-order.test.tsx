// A key waits for the render of the key before it, even if news of the server render in between.
import { render } from 'ink';
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { expect, it, onTestFinished } from 'vitest';
import { createKeyboard } from '../src/keys/keyboard.ts';
import { KeyboardContext, KeyboardInput, useCommands } from '../src/keys/use-commands.ts';
import { type Terminal, TerminalContext } from '../src/system/terminal.ts';
import { FrameSink } from '../src/terminal/host.tsx';
import type { Input } from '../src/terminal/input/splitter.ts';

const ESCAPE: Input = { stroke: 'escape' };
/** React yields after this time and continues in a later turn of the event loop. */
const REACT_YIELDS_AFTER_MS = 5;

/** Makes React yield after its current work, as a large screen does on a slow machine. */
function keepBusy(): void {
  const end = performance.now() + 2 * REACT_YIELDS_AFTER_MS;
  while (performance.now() < end);
}

/** Screens above each other, each with a key that leaves it. `left` records the screens that were left. */
function Screens({ left }: { readonly left: number[] }): null {
  const [depth, setDepth] = useState(3);
  useCommands('app', {
    back() {
      left.push(depth);
      setDepth(depth - 1);
    },
  });
  return null;
}

/** Renders again after news of the server. `onNews` runs after that render, before its effects. */
function Root({ children, hear, onNews }: { children: ReactNode; hear: (tell: () => void) => void; onNews(): void }) {
  const [news, setNews] = useState(0);
  useEffect(() => hear(() => setNews(1)), [hear]);
  useLayoutEffect(() => {
    if (news === 0) return;
    queueMicrotask(onNews);
    keepBusy();
  }, [news, onNews]);
  useEffect(() => {
    if (news > 0) keepBusy();
  }, [news]);
  return (
    <>
      {/* What may be done is worked out anew each time that something is drawn. */}
      <KeyboardInput refusal={() => null} rebound={{}} custom={[]} />
      {children}
    </>
  );
}

/** Draws the screens. The test presses keys on its own terminal. */
function draw(onNews: () => void) {
  const left: number[] = [];
  const hearers = new Set<(inputs: readonly Input[]) => void>();
  const terminal: Pick<Terminal, 'onInput'> = {
    onInput(hearer) {
      hearers.add(hearer);
      return () => hearers.delete(hearer);
    },
  };
  const started = Promise.withResolvers<() => void>();
  const sink = new FrameSink({ size: () => ({ columns: 80, rows: 24 }), onFrame: () => undefined });
  const instance = render(
    <TerminalContext value={terminal as Terminal}>
      <KeyboardContext value={createKeyboard()}>
        <Root hear={started.resolve} onNews={onNews}>
          <Screens left={left} />
        </Root>
      </KeyboardContext>
    </TerminalContext>,
    { stdout: sink as unknown as NodeJS.WriteStream, interactive: true, debug: true, patchConsole: false },
  );
  onTestFinished(() => instance.unmount());
  return {
    left,
    sendNews: started.promise,
    press(...inputs: Input[]) {
      for (const input of inputs) for (const hear of hearers) hear([input]);
    },
  };
}

it('a key is for the screen that the key before it made', async () => {
  const { left, sendNews, press } = draw(() => undefined);
  await sendNews;
  press(ESCAPE, ESCAPE, ESCAPE);
  await expect.poll(() => left).toEqual([3, 2, 1]);
});

it('a key is not for the screen that news made, while what the key before it did is not yet drawn', async () => {
  const screens = draw(() => screens.press(ESCAPE, ESCAPE, ESCAPE));
  const sendNews = await screens.sendNews;
  sendNews();
  await expect.poll(() => screens.left).toHaveLength(3);
  expect(screens.left).toEqual([3, 2, 1]);
});
