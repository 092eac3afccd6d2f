import { describe, expect, it } from 'vitest';
import { createPressQueue } from './press-queue.ts';

/** A queue that records what it handles; `render` runs the callbacks that wait for the screen. */
function setUp() {
  const handled: string[] = [];
  const waiting: (() => void)[] = [];
  const queue = createPressQueue<string>((item) => {
    handled.push(item);
    if (item === 'split') queue.requeue('a', 'b');
  });
  queue.setAfterRender((run) => waiting.push(run));
  return { handled, queue, render: () => waiting.shift()?.() };
}

describe('the press queue', () => {
  it('handles one press for each render', () => {
    const { handled, queue, render } = setUp();
    queue.push(['1', '2', '3']);
    expect(handled).toEqual(['1']);
    render();
    expect(handled).toEqual(['1', '2']);
    render();
    expect(handled).toEqual(['1', '2', '3']);
  });

  it('holds a press back until the result of the last one of a chunk is on the screen', () => {
    const { handled, queue, render } = setUp();
    queue.push(['1', '2']);
    render();
    queue.push(['3']);
    expect(handled).toEqual(['1', '2']);
    render();
    expect(handled).toEqual(['1', '2', '3']);
  });

  it('handles requeued presses before those that wait', () => {
    const { handled, queue, render } = setUp();
    queue.push(['split', 'c']);
    for (let index = 0; index < 3; index += 1) render();
    expect(handled).toEqual(['split', 'a', 'b', 'c']);
  });

  it('defers a press until after the next render', () => {
    const { handled, queue, render } = setUp();
    queue.defer('command');
    expect(handled).toEqual([]);
    render();
    expect(handled).toEqual(['command']);
  });
});
