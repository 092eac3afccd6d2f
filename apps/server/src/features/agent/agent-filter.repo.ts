// The filter language over agents, in SQL. Tests that SQL does not have (expressions, and labels as numbers) run here
// on the distinct values of a column, and become lists of values.
import { setImmediate as nextRound } from 'node:timers/promises';
import {
  type AgentFieldName,
  type AppError,
  agentFields,
  checkExpression,
  compileTest,
  describeFilterError,
  type Expression,
  type Filter,
  FilterError,
  invalidField,
  labelOfName,
  lowerAscii,
  parseFilter,
  type Term,
  type Test,
  termsOf,
  unixOf,
} from '@quarterdeck/core';
import type { Database, Dialect, SqlValue } from '@quarterdeck/core/db';
import { among, cached, inJson, likePattern, likePrefix, likeText, lowerText } from '@quarterdeck/core/sql';
import { CLONED_SQL, ONLINE_SQL, STATE_SQL, stateParams } from './records/agent-status.repo.ts';
import type { Fleet } from './records/fleet-at.repo.ts';
import type { Moment } from './records/listening-window.ts';

/** A condition on `agent a` with the values of its placeholders. */
export interface Condition {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Agents that a filter is about. */
interface Context {
  readonly db: Database;
  readonly moment: Moment;
  readonly fleet: Fleet;
  /** Ids of the agents that the caller may see; undefined for all. */
  readonly seen?: ReadonlySet<number> | undefined;
  /** Name of the filter in the request, for refusals. */
  readonly path: string;
  readonly matcher: ValueMatcher;
}

const TEXTS = {
  host: 'a.hostname',
  node: 'a.node_id',
  address: 'a.ip',
  note: 'a.note',
  env: 'a.env',
  kernel: 'a.kernel',
  kernel_package: 'a.kernel_package',
  kernel_build: 'a.kernel_bid',
  distribution: 'a.kernel_distro',
  os: 'a.system_name',
  libc: 'a.libc',
  stap: 'a.stap_version',
  odb: 'a.odb_version',
} as const satisfies Partial<Record<AgentFieldName, string>>;

const FLAGS = {
  maintenance: 'a.maintenance',
  bad_kernel: 'a.bad_kernel',
  transient_events: 'a.catch_transient_event',
  autorun_tools: 'a.autorun_tools',
} as const satisfies Partial<Record<AgentFieldName, string>>;

/** Columns that a text without a field searches. */
const SEARCHED = [TEXTS.host, TEXTS.node, TEXTS.address, TEXTS.note];
const LABEL_TEXT = "(name || '=' || value)";

/** A column with texts, and where its values come from. */
interface Column {
  readonly name: string;
  readonly from: string;
  readonly values: readonly SqlValue[];
}

const ofAgent = (name: string): Column => ({ name, from: 'agent a', values: [] });

const condition = (text: string, ...values: SqlValue[]): Condition => ({ text, values });
const ALWAYS = condition('1 = 1');
const NEVER = condition('1 = 0');
const not = ({ text, values }: Condition) => condition(`NOT (${text})`, ...values);

function join(conditions: readonly Condition[], word: 'AND' | 'OR'): Condition {
  const text = conditions.map((each) => `(${each.text})`).join(` ${word} `);
  return condition(text, ...conditions.flatMap(({ values }) => values));
}

/** Condition that the hostname, the node, the address, the note or a label contains a text. */
export function containsText(dialect: Dialect, text: string): Condition {
  const labels = `SELECT agent_id FROM agent_label WHERE ${likeText(dialect, LABEL_TEXT)}`;
  const places = [...SEARCHED.map((column) => likeText(dialect, column)), among(dialect, 'a.id', labels)];
  return condition(`(${places.join(' OR ')})`, ...places.map(() => likePattern(text)));
}

/**
 * Translates a filter to a condition on `agent a`.
 *
 * @throws AppError for a field that is neither a field of agents nor a label that an agent has
 */
export async function agentCondition(
  text: string,
  context: Omit<Context, 'matcher'>,
): Promise<Condition & { readonly namesDeleted: boolean }> {
  const filter = await parse(text, context);
  const translated = await translate(filter, { ...context, matcher: new ValueMatcher(context) });
  return { ...translated, namesDeleted: termsOf(filter).some(namesDeleted) };
}

const namesDeleted = (term: Term) =>
  term.kind === 'field' && term.field === 'state' && term.test.op === 'equals' && term.test.values.includes('deleted');

/** Parses a filter. Names of labels without `label.` must be those of an agent: a misspelled field would find none. */
async function parse(text: string, { db, fleet, seen, path }: Omit<Context, 'matcher'>): Promise<Filter> {
  const bare = new Set<string>();
  const filter = parseFilter(
    text,
    agentFields((name) => Boolean(bare.add(name))),
  );
  const known = new Set<string>();
  // A label of an agent that the caller may not see is none.
  const ofSeen = seen === undefined ? '' : ` AND ${inJson(db.dialect, 'agent_id')}`;
  const values = seen === undefined ? [] : [JSON.stringify([...seen])];
  const ofLabel = cached(`${fleet.clause}SELECT name FROM agent_label WHERE name = ?${ofSeen} LIMIT 1`);
  for (const name of bare) {
    if ((await db.read.sql.get(ofLabel, ...fleet.values, name, ...values)) !== undefined) known.add(name);
  }
  if (known.size === bare.size) return filter;
  try {
    return parseFilter(
      text,
      agentFields((name) => known.has(name)),
    );
  } catch (error) {
    if (error instanceof FilterError) throw invalidField(path, describeFilterError(text, error));
    throw error;
  }
}

async function translate(filter: Filter, context: Context): Promise<Condition> {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const conditions: Condition[] = [];
      for (const term of filter.terms) conditions.push(await translate(term, context));
      return join(conditions, filter.kind === 'and' ? 'AND' : 'OR');
    }
    case 'not':
      return not(await translate(filter.term, context));
    case 'all':
      return ALWAYS;
    default:
      return translateTerm(filter, context);
  }
}

function translateTerm(term: Term, context: Context): Condition | Promise<Condition> {
  const { db, moment } = context;
  const nowS = Math.floor(moment.nowMs / 1000);
  switch (term.kind) {
    case 'text':
      return containsText(db.dialect, term.text);
    case 'expression':
      return translateExpression(term, context);
    case 'since':
      return condition('a.last_reported_ms >= CAST(? AS bigint)', unixOf(term.moment, nowS) * 1000);
    case 'until':
      return condition('a.last_reported_ms < CAST(? AS bigint)', (unixOf(term.moment, nowS) + 1) * 1000);
    case 'field': {
      const label = labelOfName(term.field);
      return label === undefined
        ? translateField(term.field as AgentFieldName, term.test, context)
        : translateLabel(label, term.test, context);
    }
  }
}

function translateField(name: AgentFieldName, test: Test, context: Context): Condition | Promise<Condition> {
  const { dialect } = context.db;
  const { nowMs } = context.moment;
  if (Object.hasOwn(TEXTS, name)) {
    return translateText(ofAgent(TEXTS[name as keyof typeof TEXTS]), test, context);
  }
  if (Object.hasOwn(FLAGS, name)) return translateFlag(condition(FLAGS[name as keyof typeof FLAGS]), test);
  switch (name) {
    case 'online':
      return translateFlag(condition(ONLINE_SQL, nowMs), test);
    case 'cloned':
      return translateFlag(condition(CLONED_SQL, nowMs), test);
    case 'version':
      return join([condition('a.package_version <> 0'), translateNumber(dialect, 'a.package_version', test)], 'AND');
    case 'interval':
      return translateNumber(dialect, 'a.interval_s', test);
    case 'id':
      return translateNumber(dialect, 'a.id', test);
    default:
      // The states of the language are those of the table, so that no text of the caller is part of the statement.
      return test.op === 'equals'
        ? condition(
            `${STATE_SQL} IN (${test.values.map((state) => `'${state}'`).join(', ')})`,
            ...stateParams(context.moment),
          )
        : ALWAYS;
  }
}

function translateFlag(flag: Condition, test: Test): Condition {
  const values = test.op === 'equals' ? test.values : [];
  if (values.length > 1) return ALWAYS;
  return values[0] === 'yes' ? flag : not(flag);
}

function translateNumber(dialect: Dialect, column: string, test: Test): Condition {
  switch (test.op) {
    case 'equals':
      return condition(inJson(dialect, column), JSON.stringify(test.values.map(Number)));
    case 'compare':
      return condition(`${column} ${test.operator} CAST(? AS double precision)`, test.number);
    default:
      return ALWAYS;
  }
}

function translateText(column: Column, test: Test, context: Context): Condition | Promise<Condition> {
  const { dialect } = context.db;
  switch (test.op) {
    case 'any':
      return condition(`${column.name} <> ''`);
    case 'equals':
      return isOneOf(dialect, lowerText(dialect, column.name), test.values.map(lowerAscii));
    case 'prefix':
      return condition(likeText(dialect, column.name), likePrefix(test.value));
    default:
      return hasMatch(column, test, context);
  }
}

/** A label that an agent does not have has the value `''`. */
async function translateLabel(name: string, test: Test, context: Context): Promise<Condition> {
  const hasLabel = ({ text, values }: Condition) => {
    const ids = `SELECT agent_id FROM agent_label WHERE name = ? AND (${text})`;
    return condition(among(context.db.dialect, 'a.id', ids), name, ...values);
  };
  if (test.op === 'any') return hasLabel(ALWAYS);
  const column = { name: 'value', from: 'agent_label WHERE name = ?', values: [name] };
  const found = hasLabel(await translateText(column, test, context));
  return test.op === 'equals' && test.values.includes('') ? join([found, not(hasLabel(ALWAYS))], 'OR') : found;
}

/** An expression without a field searches where a text does. */
async function translateExpression(expression: Expression, context: Context): Promise<Condition> {
  const test: Test = { op: 'matches', ...expression };
  const places: Condition[] = [];
  for (const name of SEARCHED) places.push(await hasMatch(ofAgent(name), test, context));
  const { text, values } = await hasMatch({ name: LABEL_TEXT, from: 'agent_label', values: [] }, test, context);
  const ids = `SELECT agent_id FROM agent_label WHERE ${text}`;
  return join([...places, condition(among(context.db.dialect, 'a.id', ids), ...values)], 'OR');
}

/** Work of expressions on values, in characters times instructions: up to a pause, and up to a refusal. */
const WORK_PER_ROUND = 1_000_000;
const WORK_MAX = 1_000_000_000;
/** Characters of all values that the expressions of a filter match. The database reads them at once. */
const MATCHED_MAX = 20_000_000;

/** Runs the expressions of one filter on the values of columns. Limits hold for all of them together. */
class ValueMatcher {
  readonly #context: Omit<Context, 'matcher'>;
  readonly #valuesOf = new Map<string, readonly string[]>();
  #work = 0;
  #pauseAt = WORK_PER_ROUND;
  #matched = 0;

  constructor(context: Omit<Context, 'matcher'>) {
    this.#context = context;
  }

  /** Lists the values of a column that match a test. */
  async matching(column: Column, test: Test): Promise<readonly string[]> {
    const matches = compileTest(test);
    const checked = test.op === 'matches' ? checkExpression(test) : { size: 1 };
    const size = 'size' in checked ? checked.size : 0;
    const found: string[] = [];
    for (const value of await this.#read(column)) {
      this.#work += size * value.length;
      if (matches(value)) {
        found.push(value);
        this.#matched += value.length;
      }
      if (this.#work > WORK_MAX || this.#matched > MATCHED_MAX) throw this.#refusal();
      if (this.#work < this.#pauseAt) continue;
      this.#pauseAt = this.#work + WORK_PER_ROUND;
      await nextRound();
    }
    return found;
  }

  async #read({ name, from, values }: Column): Promise<readonly string[]> {
    const key = JSON.stringify([name, from, values]);
    const known = this.#valuesOf.get(key);
    if (known !== undefined) return known;
    const { db, fleet } = this.#context;
    const distinct = cached(`${fleet.clause}SELECT DISTINCT ${name} AS value FROM ${from}`);
    const rows = await db.read.sql.all<{ value: string }>(distinct, ...fleet.values, ...values);
    const read = rows.map(({ value }) => value);
    this.#valuesOf.set(key, read);
    return read;
  }

  #refusal(): AppError {
    return invalidField(
      this.#context.path,
      'The expressions take too long over the values of all agents. Use a text or a prefix instead.',
    );
  }
}

/** Condition that a column has one of those of its values that match the test. */
async function hasMatch(column: Column, test: Test, { db, matcher }: Context): Promise<Condition> {
  const found = await matcher.matching(column, test);
  return found.length === 0 ? NEVER : isOneOf(db.dialect, column.name, found);
}

/** Condition that an SQL text is one of some values. */
const isOneOf = (dialect: Dialect, text: string, values: readonly string[]) =>
  condition(
    among(
      dialect,
      text,
      dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)',
    ),
    JSON.stringify(values),
  );
