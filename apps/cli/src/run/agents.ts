// Runs changes of agents that need what they have now, and changes whose arguments are not only ids.
import { isApiError } from '@quarterdeck/sdk';
import { connect } from '../account/connection.ts';
import type { Invocation, Values } from '../command/command.ts';
import { valueAt } from '../output/cells.ts';
import { usage } from '../process/command-error.ts';
import { say } from '../terminal/io.ts';
import { checkSelection, runBulk } from './bulk.ts';
import { askFirst, counted, eachId, printAnswer, printRequest, readIds } from './change.ts';
import { type ListSource, readRows } from './rows.ts';

const LABEL = /^(?<name>[A-Za-z0-9][A-Za-z0-9._/-]*?)(?:=(?<value>.*)|-)$/s;

/** Most attempts to change an agent that others change at the same time. */
const ATTEMPTS_MAX = 5;

/** Sets and removes labels. Each agent is read before, because the server stores all labels of an agent at once. */
export async function runLabel({ args, values, program }: Invocation, list: ListSource): Promise<number | undefined> {
  const { io } = program;
  const changes = args.filter((text) => !/^\d+$/.test(text)).map(readChange);
  if (changes.length === 0) throw usage('Give labels: name=value sets one, name- removes one.');
  const connection = connect(program, values);
  const named = await readIds(
    io,
    args.filter((text) => /^\d+$/.test(text)),
  );
  checkSelection(named, list, values);
  const ids = named.length > 0 ? named : await selected();
  if (values['dry_run'] !== true && (ids.length > 1 || connection.target.profile.isProtected)) {
    await askFirst(io, `Change the labels of ${counted(ids.length, 'agent')}?`, values);
  }
  const { agent } = connection.client;
  return eachId(program, ids, { unit: 'agent' }, async (id) => {
    const params = { id };
    for (let attempt = 1; ; attempt += 1) {
      const { data, headers } = await agent.get({ params, query: { detail: 1 } }).withResponse();
      const labels = changes.reduce(applyChange, { ...data.labels });
      if (values['dry_run'] === true) return printRequest(io, 'agent.update', params, { labels });
      try {
        const tag = headers.get('etag');
        const answer = await agent.update(
          { params, body: { labels } },
          tag === null ? {} : { headers: { 'if-match': tag } },
        );
        if (ids.length === 1) await printAnswer(io, answer, '', values);
        return;
      } catch (error) {
        // Somebody else has changed the agent since it was read.
        if (!isApiError(error) || error.code !== 'precondition_failed' || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  });

  async function selected(): Promise<number[]> {
    const found = await readRows(connection, list, { ...values, all: true }, program);
    const ids: number[] = [];
    for await (const row of found.rows) ids.push(Number(valueAt(row, 'id')));
    if (ids.length === 0) await say(io, 'Nothing matches; nothing was changed.');
    return ids;
  }
}

interface LabelChange {
  readonly name: string;
  /** undefined removes it. */
  readonly value: string | undefined;
}

function readChange(text: string): LabelChange {
  const { name, value } = LABEL.exec(text)?.groups ?? {};
  if (name === undefined) throw usage(`Not a label: ${JSON.stringify(text.slice(0, 80))}. Use name=value or name-.`);
  return { name, value };
}

function applyChange(labels: Record<string, string>, { name, value }: LabelChange): Record<string, string> {
  const { [name]: _before, ...others } = labels;
  return value === undefined ? others : { ...others, [name]: value };
}

/** Begins or ends maintenance. */
export async function runMaintenance(invocation: Invocation, list: ListSource): Promise<number | undefined> {
  const [word, ...args] = invocation.args;
  if (word !== 'on' && word !== 'off') throw usage('Say on or off first: quarterdeck agents maintenance on 3');
  const change: Values = { maintenance: word === 'on' };
  return runBulk(
    { ...invocation, args },
    {
      endpoint: 'agent.bulk',
      list,
      single: 'agent.update',
      singleBody: change,
      change: { action: 'update', ...change },
      unit: 'agent',
      verb: word === 'on' ? 'Begin the maintenance of' : 'End the maintenance of',
      done: 'Changed',
    },
  );
}
