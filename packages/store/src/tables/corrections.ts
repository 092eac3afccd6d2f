// Corrections of grouping by people, as the intake applies them (decision 090): rules as text first, then aliases of
// errors. A write reads their version under the lock of the groups, so that no line is grouped by former corrections.
import { type Sql, type SqlTx, statement } from '@quarterdeck/core/db';
import {
  captureExpression,
  compileExpression,
  compileFilter,
  type Expression,
  type Filter,
  type LineTest,
  loadExpressions,
  parseFilter,
} from '@quarterdeck/core/filter';
import { chosenFingerprint } from '@quarterdeck/core/fingerprint';
import type { LogLine } from '@quarterdeck/core/lines';
import { allFields } from './occurrence-fields.ts';

/** An error whose lines belong to another one. */
export interface Alias {
  readonly id: number;
  readonly fingerprint: string;
  readonly level: number;
  readonly app_id: number;
  readonly service: string;
  /** Only lines that match it; empty is all. */
  readonly expression: string;
  readonly target: string;
  readonly sample: string;
  /** Last source whose lines follow. */
  readonly src_done: number;
  /** 0 or 1. */
  readonly leaving: number;
  readonly created_ms: number;
  readonly created_by: string;
}

/** A rule as it is stored. */
export interface StoredRule {
  readonly id: number;
  readonly text: string;
  readonly action: 'group' | 'ignore';
  readonly created_ms: number;
  readonly created_by: string;
}

/** Greater than every source. */
export const ALL_DONE = Number.MAX_SAFE_INTEGER;

const VERSION = 'errlog_corrections';
const GET = statement('SELECT value FROM setting WHERE name = ?', { isShort: true });
const BUMP = statement(
  `INSERT INTO setting (name, value) VALUES (?, '1')
   ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(setting.value AS bigint) + 1 AS TEXT)`,
);
export const ALIAS_COLUMNS =
  'id, fingerprint, level, app_id, service, expression, target, sample, src_done, leaving, created_ms, created_by';
// Of the corrections of one error, the newest with an expression comes first, and that of all its lines last.
const ALIASES = statement(
  `SELECT ${ALIAS_COLUMNS} FROM errlog_alias ORDER BY CASE expression WHEN '' THEN 1 ELSE 0 END, id DESC`,
);
const RULES = statement('SELECT id, text, action, created_ms, created_by FROM errlog_rule ORDER BY id');

/** Tells every server that corrections have changed, with the commit of this write. */
export const noteCorrection = ({ sql }: SqlTx) => sql.run(BUMP, VERSION);

export const readAliases = (sql: Sql): Promise<Alias[]> => sql.all<Alias>(ALIASES);

/** The rules, the oldest first. */
export const readRules = (sql: Sql): Promise<StoredRule[]> => sql.all<StoredRule>(RULES);

/** Reads the corrections again when they have changed. */
export class CorrectionsReader {
  #version: string | undefined;
  #corrections: Corrections | undefined;

  /** The corrections of a moment; undefined where there are none. */
  async read(sql: Sql): Promise<Corrections | undefined> {
    const version = (await sql.get<{ value: string }>(GET, VERSION))?.value;
    if (version === this.#version) return this.#corrections;
    const [aliases, rules] = [await readAliases(sql), await readRules(sql)];
    if (rules.length > 0 || aliases.some(({ expression }) => expression !== '')) await loadExpressions();
    this.#corrections = aliases.length + rules.length === 0 ? undefined : new Corrections(aliases, rules);
    this.#version = version;
    return this.#corrections;
  }
}

/** The part of a line that corrections look at. */
export type CorrectedLine = Pick<LogLine, 'log' | 'level' | 'appId' | 'service'> &
  Partial<Pick<LogLine, 'logTime' | 'reqId' | 'fields'>>;

/** An alias that is ready to be used. */
interface ReadyAlias extends Alias {
  matches(log: string): boolean;
}

/** A rule that is ready to be used: it returns the fingerprint of a line that matches. */
interface ReadyRule {
  readonly isIgnored: boolean;
  printOf(line: CorrectedLine, host: string): string | undefined;
}

/** The corrections of a moment. Expressions must be loaded. */
export class Corrections {
  readonly #aliases = new Map<string, ReadyAlias[]>();
  readonly #rules: readonly ReadyRule[];
  /** Fingerprints of groups that rules ignore, of lines that were met. */
  readonly #ignored = new Set<string>();

  constructor(aliases: readonly Alias[], rules: readonly StoredRule[]) {
    for (const alias of aliases) {
      const matches = alias.expression === '' ? () => true : compileExpression(literal(alias.expression));
      const known = this.#aliases.get(alias.fingerprint) ?? [];
      this.#aliases.set(alias.fingerprint, [...known, { ...alias, matches }]);
    }
    this.#rules = rules.map(compileRule);
  }

  /** Fingerprint of the group that a line of a source belongs to; `own` is that of its text. */
  printOf(line: CorrectedLine, host: string, src: number, own: string): string {
    let print = own;
    for (const rule of this.#rules) {
      const chosen = rule.printOf(line, host);
      if (chosen === undefined) continue;
      print = chosen;
      if (rule.isIgnored) this.#ignored.add(chosen);
      break;
    }
    return this.stepsOf(line, src, print).at(-1)?.target ?? print;
  }

  /** The aliases that a line of an error takes, one after the other. Each leads to a newer error. */
  stepsOf({ level, appId, log }: CorrectedLine, src: number, print: string): Alias[] {
    const steps: Alias[] = [];
    for (let at = print; ; ) {
      const next = this.#aliases
        .get(at)
        ?.find(
          (alias) => alias.level === level && alias.app_id === appId && src <= alias.src_done && alias.matches(log),
        );
      if (next === undefined) return steps;
      steps.push(next);
      at = next.target;
    }
  }

  /** Tells whether a rule ignores a group. */
  isIgnored(print: string): boolean {
    return this.#ignored.has(print);
  }
}

const literal = (source: string): Expression => ({ source, flags: '' });

/** The expression of a rule whose captures tell its groups apart. */
export const expressionOf = (filter: Filter): Expression | undefined =>
  (filter.kind === 'and' ? filter.terms : [filter]).find((term) => term.kind === 'expression');

/** Fingerprint of the group that a rule makes of a line. */
const rulePrint = (text: string, captures: readonly string[], service = ''): string =>
  chosenFingerprint(['rule', text, ...captures], '', service);

function compileRule({ text, action }: StoredRule): ReadyRule {
  const filter = parseFilter(text);
  const test: LineTest = compileFilter(filter, 0);
  const expression = expressionOf(filter);
  const capture = expression && captureExpression(expression);
  return {
    isIgnored: action === 'ignore',
    printOf(line, host) {
      if (!test(filterable(line, host))) return undefined;
      return rulePrint(text, capture?.(line.log) ?? [], line.service);
    },
  };
}

const filterable = (line: CorrectedLine, host: string) => ({
  time: line.logTime ?? 0,
  level: line.level,
  log: line.log,
  host,
  service: line.service ?? '',
  source: host,
  src: 0,
  app_id: line.appId,
  req_id: line.reqId ?? '',
  group: 0,
  fields: () => allFields(line.fields, line.log),
});
