// Runs the commands about one alert. People read it as its message; programs get the answer of the API.
import { parseMoment } from '@quarterdeck/core/filter';
import { parseMute } from '@quarterdeck/core/plain';
import { type Alert, type AlertInstance, type Client, paginate } from '@quarterdeck/sdk';
import { width } from '@quarterdeck/tui/text';
import { type AlertPart, alertParts, alertTitle } from '@quarterdeck/views/alerts';
import { cleanLines } from '@quarterdeck/views/text';
import { connect } from '../account/connection.ts';
import type { Invocation, Values } from '../command/command.ts';
import { printObject } from '../output/print.ts';
import { usage } from '../process/command-error.ts';
import { write } from '../terminal/io.ts';
import { readIds, runEach } from './change.ts';

/** True where the output is for people. */
const isForPeople = ({ output = 'table', jq, columns, quiet }: Values): boolean =>
  output === 'table' && jq === undefined && columns === undefined && quiet !== true;

/** The parts of an alert: labels in a column, several values below each other. */
function partsText(parts: readonly AlertPart[]): string {
  const labels = Math.max(...parts.map(({ label }) => width(label)));
  const lines = parts.flatMap(({ label, values }) =>
    values.map((value, index) => `${(index === 0 ? label : '').padEnd(labels)}  ${value}`),
  );
  return `${lines.join('\n')}\n`;
}

/** The state of an alert, its rule and its id. */
const stateText = ({ id, state, rule, kind }: Alert): string =>
  `${state}; alert ${id} of the rule ${cleanLines(rule).join(' ') || '(no name)'} (${kind})`;

export async function runShow({ args, values, program }: Invocation): Promise<undefined> {
  const { io } = program;
  const [id = 0] = await readIds(io, args);
  const answer: AlertInstance = await connect(program, values).client.alert.instance({ params: { id } });
  if (!isForPeople(values)) {
    await printObject(io, answer, values);
    return;
  }
  const state: AlertPart = { id: 'people', label: 'State', values: [stateText(answer)] };
  await write(io.stdout, partsText([...alertParts(answer, program.now()), state]));
}

/** A sentence about a changed alert, for people. */
const sentence = (done: string, values: Values) => (answer: unknown) => {
  const alert = answer as Alert;
  return isForPeople(values) ? `${done} alert ${alert.id}: ${alertTitle(alert)}` : undefined;
};

export function runAcknowledge(invocation: Invocation): Promise<number | undefined> {
  const { values } = invocation;
  const spec = { endpoint: 'alert.acknowledge', unit: 'alert', verb: 'Acknowledge', done: 'Acknowledged' } as const;
  const { note } = values;
  return runEach(invocation, { ...spec, sentence: sentence(spec.done, values) }, note === undefined ? {} : { note });
}

/** Finds a user by name. */
async function userId(client: Client, name: string): Promise<number> {
  if (/^\d{1,10}$/.test(name)) return Number(name);
  for await (const user of paginate(client.user.list, {})) if (user.username === name) return user.id;
  throw usage(`There is no user ${JSON.stringify(name.slice(0, 80))}.`);
}

export async function runAssign(invocation: Invocation): Promise<number | undefined> {
  const { args, values, program } = invocation;
  const [id = '', name] = args;
  const ways = [name !== undefined, values['me'] === true, values['nobody'] === true].filter(Boolean);
  if (ways.length !== 1) throw usage('Give one of: the name or the id of a user, --me, --nobody.');
  const { client } = connect(program, values);
  const user = await assignee(client, name, values);
  const spec = { endpoint: 'alert.assign', unit: 'alert', verb: 'Assign', done: 'Assigned' } as const;
  const done = user === null ? 'Unassigned' : spec.done;
  return runEach({ ...invocation, args: [id] }, { ...spec, sentence: sentence(done, values) }, { user });
}

async function assignee(client: Client, name: string | undefined, values: Values): Promise<number | null> {
  if (values['nobody'] === true) return null;
  return name === undefined ? (await client.user.me()).id : userId(client, name);
}

/** The end of a mute as the API takes it: durations and numbers of times are texts, a time is Unix seconds. */
function readUntil(text: string): string | number {
  if (parseMute(text) !== undefined) return text;
  const moment = parseMoment(text, true);
  if (moment === undefined || !('unix' in moment)) {
    throw usage(`--until cannot be ${JSON.stringify(text.slice(0, 80))}. Use 1h, 7d, 100x, forever, a date or a time.`);
  }
  return Math.ceil(moment.unix);
}

const MUTE = { endpoint: 'alert.mute', unit: 'alert' } as const;

export async function runMute(invocation: Invocation): Promise<number | undefined> {
  const { values } = invocation;
  const { until } = values;
  if (until === undefined) throw usage('Required: --until.');
  const spec = { ...MUTE, verb: 'Mute', done: 'Muted', sentence: sentence('Muted', values) };
  return runEach(invocation, spec, { until: readUntil(String(until)) });
}

/** Ends the mute of alerts. */
export function runUnmute(invocation: Invocation): Promise<number | undefined> {
  const done = 'Ended the mute of';
  const spec = { ...MUTE, verb: 'End the mute of', done, sentence: sentence(done, invocation.values) };
  return runEach(invocation, spec, { until: 0 });
}
