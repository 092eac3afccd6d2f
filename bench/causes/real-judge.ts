// Compares the server's answer about a real incident, and those of the baselines, with the known cause.
import type { AgentEvent, ErrlogChanges, ErrlogEntry } from '../../packages/core/src/index.ts';
import { call } from '../api.ts';
import type { Program } from '../processes.ts';
import { rankByBaselines } from './baselines.ts';
import type { HistoryLine } from './fleet.ts';
import type { Method, Strength } from './judge.ts';
import type { CauseName } from './real-kinds.ts';

/** The server's answer. */
export interface Asked {
  /** Place of the cause; 0 = not there. */
  readonly rank: number;
  /** The cause is in the row, but the row is named by another change that the same hosts made together with it. */
  readonly isBeside: boolean;
  readonly strength: Strength;
  /** Sentence of the first row. */
  readonly best: string;
}

/** An answer beside those of the baselines. */
export interface Answer extends Asked {
  readonly ranks: Readonly<Record<Method, number>>;
}

/** Seconds to look back. */
const WITHIN_S = 600;
const EVENTS = 100;

const isCause = (row: { readonly kind: string; readonly field: string }, names: readonly CauseName[]) =>
  names.some(({ kind, field }) => row.kind === kind && (field === '' || row.field === field));

/** Asks the server for the changes before an error. */
export async function askServer(
  server: Program,
  headers: Readonly<Record<string, string>>,
  group: number,
  names: readonly CauseName[],
): Promise<Asked> {
  const path = `/admin-api/log_server/errlog/${group}/changes?within=${WITHIN_S}`;
  const { windows } = (await call(server, path, { headers })).data as ErrlogChanges;
  const changes = windows.find(({ kind }) => kind === 'first_seen')?.changes ?? [];
  const place = changes.findIndex((row) => isCause(row, names) || row.with.some((other) => isCause(other, names)));
  const row = changes[place];
  const [best] = changes;
  return {
    rank: 1 + place,
    isBeside: row !== undefined && !isCause(row, names),
    strength: best?.strength ?? 'none',
    best: best?.explanation ?? 'no change',
  };
}

/** Input of {@link judgeAll}. */
export interface JudgeOptions {
  readonly server: Program;
  readonly headers: Readonly<Record<string, string>>;
  readonly asked: Asked;
  readonly names: readonly CauseName[];
  /** The error on each host. */
  readonly onsets: readonly ErrlogEntry[];
  /** Time of the answer; later changes are unknown (Unix milliseconds). */
  readonly atMs: number;
}

/** Adds the answers of the baselines, from the same history. */
export async function judgeAll({ server, headers, asked, names, onsets, atMs }: JudgeOptions): Promise<Answer> {
  const get = async <T>(path: string) => JSON.parse((await call(server, path, { headers })).text) as { data: T };
  const { data: agents } = await get<{ id: number; hostname: string }[]>('/api/agents?page_size=200');
  const known = onsets.flatMap(({ host, first_seen: seen = 0 }) => {
    const agent = agents.find(({ hostname }) => hostname === host);
    return agent === undefined || seen * 1000 > atMs ? [] : [{ agent: agent.id, seen }];
  });
  const history: HistoryLine[] = [];
  const fromMs = Math.min(...known.map(({ seen }) => seen)) * 1000 - WITHIN_S * 1000;
  for (const { id } of agents) {
    const { data } = await get<{ data: AgentEvent[] }>(`/api/agents/${id}/events?page_size=${EVENTS}`);
    for (const { time, kind, field, to } of data.data) {
      const timeMs = time * 1000;
      if (timeMs >= fromMs && timeMs <= atMs) history.push({ agent: id, timeMs, kind, field, to });
    }
  }
  const times = new Map(known.map(({ agent, seen }) => [agent, seen * 1000]));
  const ranked = rankByBaselines({ history, onsets: times, agents: agents.length });
  const rankOf = (rows: readonly CauseName[]) => 1 + rows.findIndex((row) => isCause(row, names));
  const ranks = {
    server: asked.rank,
    'latest change': rankOf(ranked['latest change']),
    'most frequent': rankOf(ranked['most frequent']),
    Fisher: rankOf(ranked.Fisher),
    'Fisher and time': rankOf(ranked['Fisher and time']),
  };
  return { ...asked, ranks };
}
