import { describe, expect, it } from 'vitest';
import { createLog } from '../src/log.ts';

function logged(human: boolean): { readonly lines: string[]; readonly log: ReturnType<typeof createLog> } {
  const lines: string[] = [];
  return { lines, log: createLog({ write: (line) => void lines.push(line) }, 'info', human) };
}

describe('the log', () => {
  it('is JSON for programs', () => {
    const { lines, log } = logged(false);
    log.info({ id: 7 }, 'enrolled');
    const { time, ...rest } = JSON.parse(lines[0] ?? '');
    expect(rest).toEqual({ level: 'info', id: 7, msg: 'enrolled' });
    expect(new Date(time).toISOString()).toBe(time);
  });

  it('is one short line for people', () => {
    const { lines, log } = logged(true);
    log.warn({ code: 'ECONNREFUSED', fields: ['a', 'b'] }, 'the server is away');
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d warn {3}the server is away {2}code=ECONNREFUSED {2}fields=\["a","b"\]\n$/,
    );
  });

  it('lets no control characters reach the terminal', () => {
    const { lines, log } = logged(true);
    log.info({ code: '\u001b]0;title\u0007\u202e' }, 'hello');
    expect(lines[0]).toContain('code=?]0;title??');
  });

  it('omits lines below its level', () => {
    const { lines, log } = logged(false);
    log.debug('not this');
    expect(lines).toEqual([]);
  });

  it.each([true, false])('masks text that looks like one of our secrets', (human) => {
    const { lines, log } = logged(human);
    log.error({ url: `http://h/qd_t_${'C'.repeat(49)}` }, `qd_a_${'C'.repeat(49)}`);
    expect(lines.join('')).not.toContain('CCC');
  });
});
