import { build } from '@quarterdeck/sdk/testing';
import { eventText, remarkCell, stateOf } from '@quarterdeck/views/agents';
import { describe, expect, it } from 'vitest';
import { agent } from '../../../test/fake-server.ts';
import { agentEvent } from '../../../test/fleet-rows.ts';
import { removeGlyphs } from '../../text/remove-glyphs.ts';
import { lineWidth } from '../../theme/lines.ts';
import { AGENT_PANES, agentLines, paneTabs, stepPane } from './agent-panes.ts';
import { vitalsLines } from './agent-vitals.ts';
import { orderOf } from './agents-view.ts';

describe('an agent in words', () => {
  it('has a state even where an event lacks it', () => {
    expect(stateOf(agent(1))).toBe('online');
    expect(stateOf(agent(1, { online: false }))).toBe('offline');
    expect(stateOf(agent(1, { online: false, state: 'inactive' }))).toBe('inactive');
    expect(stateOf(agent(1, { is_deleted: true }))).toBe('deleted');
  });

  it('shows its remarks in the tone of the worst', () => {
    expect(remarkCell(agent(1))).toEqual({ text: '', tone: 'plain' });
    expect(remarkCell(agent(1, { reason: 'reporting', maintenance: true }))).toEqual({
      text: '◆ maintenance',
      tone: 'notice',
    });
    expect(remarkCell(agent(1, { cloned: true, bad_kernel: true, bad_kernel_reason: 'it\u0007stalls' }))).toEqual({
      text: '▲ cloned, ▲ bad kernel: it␇stalls',
      tone: 'bad',
    });
    expect(remarkCell(agent(1, { progress: { current: 40, detail: 'upgrade' } })).text).toBe('40% upgrade');
  });

  it.each([
    [{}, 'kernel: 6.1 → 6.2'],
    [{ from: '' }, 'kernel: 6.2'],
    [{ to: '' }, 'kernel: 6.1 → nothing'],
    [{ kind: 'rebooted', field: 'boot_time' }, ''],
    [{ kind: 'change', field: 'flag', name: 'new_cache', from: '', to: '' }, 'flag new_cache'],
    [{ kind: 'change', field: 'x\u001b', name: 'a\u0007b', from: '', to: '\u001b[2J' }, 'x␛ a␇b: ␛[2J'],
    [{ kind: 'offline', field: 'lost', from: 'online', to: 'offline' }, 'went silent'],
    [{ kind: 'operation', field: 'collect_facts', from: '', to: 'queued' }, 'collect facts: queued'],
    [{ kind: 'labels', field: 'labels', from: '', to: 'site=north' }, 'site=north'],
    [{ kind: 'config', field: '/etc/my_app/a.conf', from: 'ab', to: 'absent' }, '/etc/my_app/a.conf: ab → absent'],
    [{ kind: 'package', field: 'lib_x\u001b', from: '1', to: '2' }, 'lib_x␛: 1 → 2'],
    [{ kind: 'change', field: 'deploy', name: 'shop', from: '1', to: '2' }, 'deploy shop: 1 → 2'],
  ] as const)('tells what happened: %j', (over, text) => {
    expect(eventText(agentEvent(1, over))).toBe(text);
  });
});

const glyphs = { spark: 'block', chart: 'braille' } as const;

describe('the vitals of an agent', () => {
  const END = 1_795_420_800;
  const sample = (minutes: number, cpu: number) =>
    build.vitalsSample({ time: END - minutes * 60, cpu, memory: null, load: null, disk: {} });
  const samples = [sample(300, 10), sample(200, 90), sample(1, 20)];
  const vitals = { status: 'ready', data: { samples, startS: END - 6 * 3600, endS: END }, atMs: 0 } as const;
  const shown = (width: number, spark: 'block' | 'ascii' = 'block') =>
    vitalsLines(vitals, { ...glyphs, spark }, END * 1000, width);

  it('have the steps over the limit in another tone, and the same in words', () => {
    const [, line = []] = shown(100);
    expect(line.filter(({ tone }) => tone === 'bad').map(({ text }) => text)).toEqual(['▇']);
    expect(line.at(-1)?.text).toBe('20 % now, up to 90 %');
    expect(shown(100, 'ascii')[1]?.find(({ tone }) => tone === 'bad')?.text).toBe('#');
    const spoken = line.map(({ text }) => removeGlyphs(text)).join('');
    expect(spoken.replaceAll(/ +/g, ' ')).toBe('CPU 20 % now, up to 90 %');
  });

  it('fit into the width', () => {
    for (let width = 24; width < 120; width += 1) {
      expect(Math.max(...shown(width).map(lineWidth)), String(width)).toBeLessThanOrEqual(width);
    }
  });

  it('say that the host has reported none', () => {
    const none = { status: 'ready', data: { samples: [], startS: 0, endS: 21_600 }, atMs: 0 } as const;
    expect(vitalsLines(none, glyphs, 0, 80)[0]?.[0]?.text).toContain('has not reported how busy it was');
  });
});

describe('the history of an agent', () => {
  const event = agentEvent(1, { kind: 'settings', field: 'autorun_tools', from: 'false', to: 'true', actor: 'admin' });
  const shown = (width: number): string[] => {
    const reads = {
      history: { status: 'ready', data: [event], atMs: 0 },
      vitals: { status: 'loading' },
      logs: { status: 'loading' },
      maySeeLogs: true,
    } as const;
    return agentLines('history', agent(1), { reads, glyphs, nowMs: event.time * 1000 }, width)
      .slice(2)
      .map((line) =>
        line
          .map(({ text }) => text)
          .join('')
          .slice(14),
      );
  };

  it('shows the text beside its kind, or below it where there is little room', () => {
    expect(shown(90)).toEqual(['◆ setting          runs tools itself: false → true  by admin']);
    expect(shown(48)).toEqual(['◆ setting', '  runs tools itself: false → true', '  by admin']);
    for (let width = 30; width < 100; width += 1) {
      expect(Math.max(...shown(width).map((line) => line.length + 14)), String(width)).toBeLessThanOrEqual(width);
    }
  });
});

describe('the list of agents', () => {
  it.each([
    [[], 'trouble'],
    [[{ id: 'state', down: false }], 'trouble'],
    [[{ id: 'state', down: true }], 'calm'],
    [[{ id: 'host', down: true }], '-hostname'],
    [[{ id: 'seen', down: false }], '-last_reported'],
    [[{ id: 'ip', down: false }], 'trouble'],
  ] as const)('in the order %j is asked for as %s', (sort, order) => {
    expect(orderOf(sort)).toBe(order);
  });
});

describe('the views of an agent', () => {
  it('follow each other in a circle', () => {
    expect(stepPane('summary', -1)).toBe('raw');
    expect(stepPane('raw', 2)).toBe('system');
  });

  it('fit their names into the width', () => {
    for (let width = 20; width < 90; width += 1) {
      for (const pane of AGENT_PANES) {
        const line = paneTabs(pane, width);
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
        expect(line.map(({ text }) => text).join('')).toContain(`[${pane}]`);
      }
    }
  });
});
