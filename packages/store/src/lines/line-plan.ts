// Plan of a query: the conclusions that spare a search from reading segments, blocks and lines.
import {
  allOf,
  compileFilter,
  decide,
  type Filter,
  fieldOfLine,
  type LineTest,
  requiredTexts,
  simplify,
  type Term,
  termsOf,
  timeBounds,
} from '@quarterdeck/core/filter';
import { hashesOfAddress, hashesOfText, hashesOfValue } from '../segments/gram-hashes.ts';
import type { GroupSummary } from '../segments/segment.ts';
import { type MovedGroups, NONE_MOVED, withCurrentGroups } from '../tables/moved-groups.ts';
import type { Decision } from './decisions.ts';
import type { LineQuery } from './line-reads.ts';
import { hasNeeded, type NeededHashes, UNKNOWN_FILTER } from './needed-hashes.ts';

/** A source as queries see it. */
export interface LineSource {
  readonly nodeType: number;
  /** -1 = none. */
  readonly nodeId: number;
  /** Displayed name, by which filters find it as host and as source; undefined where it depends on the line. */
  readonly host: string | undefined;
}

/** Texts and stored values of which every matching line has at least one. */
export interface Atoms {
  readonly texts: readonly string[];
  /** Request ids (by the name `req`) and values of fields. */
  readonly values: readonly { readonly name: string; readonly value: string }[];
}

/** Plan of one query. */
export interface LinePlan {
  /** Unix seconds: all matching lines are between them, both included. */
  readonly from: number;
  readonly to: number;
  readonly test: LineTest;
  /** Conditions name the sources or the states of groups. */
  readonly needsSources: boolean;
  readonly needsStates: boolean;
  /** Some condition is about texts or fields. */
  readonly needsTexts: boolean;
  /** The only groups that can match; undefined for all. */
  readonly groups: readonly number[] | undefined;
  /** Groups that lines were stored under before these were merged. */
  readonly moved: MovedGroups;
  readonly atoms: Atoms | undefined;
  /** Hashes that the filter of a segment with a match has; undefined where no filter can tell. */
  readonly needed: NeededHashes | undefined;
  /** The decision about every group, where no condition depends on the group. */
  readonly decided: { readonly matches: Decision } | undefined;
  /**
   * Decides for all lines of a group in a segment: true if all match, false if none does, undefined if that depends on
   * the line.
   */
  decideGroup(group: GroupSummary, source: LineSource | undefined, state: string | undefined): Decision;
}

const GROUP_FIELDS = new Set(['level', 'host', 'service', 'source', 'src', 'app', 'group', 'state']);
const SOURCE_FIELDS = new Set(['host', 'source']);
/** Characters of a value that are looked for: stored values may be cut. */
const SOUGHT_MAX = 60;

/** Makes the plan of a query. Ages count back from `nowS`, in Unix seconds. */
export function planQuery(query: LineQuery, nowS: number, moved: MovedGroups = NONE_MOVED): LinePlan {
  const filter = filterOf(query, moved);
  const terms = termsOf(filter);
  const fields = terms.flatMap((term) => (term.kind === 'field' ? [term.field] : []));
  const { nodeType, nodeId, reqId } = query;
  const test = compileFilter(filter, nowS);
  const hasNode = nodeType !== undefined || nodeId !== undefined;
  const { from = -Infinity, to = Infinity } = timeBounds(filter, nowS);
  const groupTests = new Map(terms.filter(isOfGroup).map((term) => [term, compileFilter(term, nowS)]));
  const sinceUntil = new Map(terms.flatMap((term) => spanOf(term, nowS)));
  const decideGroup = (group: GroupSummary, source: LineSource | undefined, state: string | undefined): Decision => {
    if (nodeType !== undefined && source?.nodeType !== nodeType) return false;
    if (nodeId !== undefined && source?.nodeId !== nodeId) return false;
    const line = lineOfGroup(group, source, state);
    return decide(filter, (term) => {
      if (term.kind === 'text') return decideEmptyText(term);
      const span = sinceUntil.get(term);
      if (span === undefined) {
        const isOfLine = isOfSource(term) && source !== undefined && source.host === undefined;
        return isOfLine ? undefined : groupTests.get(term)?.(line);
      }
      if (group.from >= span.from && group.to <= span.to) return true;
      return group.to < span.from || group.from > span.to ? false : undefined;
    });
  };
  return {
    from,
    to,
    // Unlike `req:`, the parameter tells capitals and small letters apart.
    test: reqId === undefined ? test : (line) => line.req_id === reqId && test(line),
    needsSources: hasNode || fields.some((field) => SOURCE_FIELDS.has(field)),
    needsStates: fields.includes('state'),
    needsTexts: terms.some(needsText),
    groups: query.groups?.map((id) => moved.get(id) ?? id),
    moved,
    atoms: atomsOf(filter),
    needed: neededOf(filter),
    decided:
      hasNode || groupTests.size + sinceUntil.size > 0 ? undefined : { matches: decide(filter, decideEmptyText) },
    decideGroup,
  };
}

/** The filter of a query with its parameters, but for its node. Unlike `reqId`, `req:` matches in any case. */
export const filterOf = (query: LineQuery, moved: MovedGroups): Filter =>
  withCurrentGroups(simplify(allOf([query.filter ?? { kind: 'all' }, ...partsOf(query)])), moved);

/** Parameters of a query in the filter language. */
function partsOf(query: LineQuery): Filter[] {
  const { q, startTime, endTime, level, levelMax, src, appId, reqId, groups, service, host } = query;
  const equals = (field: string, values: readonly (string | number)[] | undefined): Filter[] =>
    values === undefined ? [] : [{ kind: 'field', field, test: { op: 'equals', values: values.map(String) } }];
  const one = (value: string | number | undefined) => (value === undefined ? undefined : [value]);
  const atMost = (number: number): Filter => ({
    kind: 'field',
    field: 'level',
    test: { op: 'compare', operator: '<=', number },
  });
  return [
    ...(q === undefined ? [] : [{ kind: 'text', text: q } as const]),
    ...(startTime === undefined ? [] : [{ kind: 'since', moment: { unix: startTime } } as const]),
    ...(endTime === undefined ? [] : [{ kind: 'until', moment: { unix: endTime } } as const]),
    ...(level === undefined
      ? []
      : [
          atMost(level),
          { kind: 'field', field: 'level', test: { op: 'compare', operator: '>=', number: level } } as const,
        ]),
    ...(levelMax === undefined ? [] : [atMost(levelMax)]),
    ...equals('src', one(src)),
    ...equals('app', one(appId)),
    ...equals('req', one(reqId)),
    ...equals('group', groups),
    ...equals('service', one(service)),
    ...equals('host', one(host)),
  ];
}

/** Every line has the empty text. */
const decideEmptyText = (term: Term): true | undefined => (term.kind === 'text' && term.text === '' ? true : undefined);

const isOfGroup = (term: Term) => term.kind === 'field' && GROUP_FIELDS.has(term.field);

const isOfSource = (term: Term) => term.kind === 'field' && SOURCE_FIELDS.has(term.field);

const needsText = (term: Term) =>
  term.kind === 'text' ||
  term.kind === 'expression' ||
  (term.kind === 'field' && fieldOfLine(term.field) !== undefined);

function spanOf(term: Term, nowS: number): [Term, { from: number; to: number }][] {
  if (term.kind !== 'since' && term.kind !== 'until') return [];
  const { from = -Infinity, to = Infinity } = timeBounds(term, nowS);
  return [[term, { from, to }]];
}

const NO_FIELDS = () => ({});

function lineOfGroup(group: GroupSummary, source: LineSource | undefined, state: string | undefined) {
  const { host = '' } = source ?? {};
  const { level, src, appId, service, id } = group;
  return {
    level,
    src,
    app_id: appId,
    service,
    group: id,
    host,
    source: host,
    time: 0,
    log: '',
    req_id: '',
    fields: NO_FIELDS,
    ...(state === undefined ? {} : { state }),
  };
}

/** Texts and values of which every match has at least one; undefined where nothing is known. */
function atomsOf(filter: Filter): Atoms | undefined {
  switch (filter.kind) {
    case 'and':
      return filter.terms
        .map(atomsOf)
        .filter((atoms) => atoms !== undefined)
        .sort((a, b) => shortest(b) - shortest(a))[0];
    case 'or': {
      const all = filter.terms.map(atomsOf);
      if (all.includes(undefined)) return undefined;
      return { texts: all.flatMap((atoms) => atoms?.texts ?? []), values: all.flatMap((atoms) => atoms?.values ?? []) };
    }
    case 'text':
    case 'expression': {
      const [texts] = requiredTexts(filter).toSorted((a, b) => shortest({ texts: b }) - shortest({ texts: a }));
      return texts === undefined ? undefined : { texts, values: [] };
    }
    case 'field': {
      const { field, test } = filter;
      const name = storedName(field);
      if (name === undefined || test.op !== 'equals' || test.values.includes('')) return undefined;
      const texts = field === 'req' ? [] : test.values.map((value) => [...value].slice(0, SOUGHT_MAX).join(''));
      return { texts, values: test.values.map((value) => ({ name, value })) };
    }
    default:
      return undefined;
  }
}

/** Name under which values of a field are stored beside the texts; undefined for what the group says. */
const storedName = (field: string): string | undefined => (field === 'req' ? 'req' : fieldOfLine(field));

/** Length of the shortest text: the longer, the fewer lines have it. Stored values alone are found fastest. */
const shortest = ({ texts }: Pick<Atoms, 'texts'>) => Math.min(1_000, ...texts.map(({ length }) => length));

/** The part of a filter that the filter of a segment can deny; undefined where it can deny nothing. */
function neededOf(filter: Filter): NeededHashes | undefined {
  const needed = termsNeeded(filter);
  // Nothing is known of a text that is too short.
  return needed !== undefined && hasNeeded(needed, UNKNOWN_FILTER) === undefined ? needed : undefined;
}

function termsNeeded(filter: Filter): NeededHashes | undefined {
  const { kind } = filter;
  switch (kind) {
    case 'and':
      return { kind, terms: filter.terms.map(neededOf).filter((needed) => needed !== undefined) };
    case 'or': {
      const terms = filter.terms.map(neededOf).filter((needed) => needed !== undefined);
      return terms.length < filter.terms.length ? undefined : { kind, terms };
    }
    case 'text':
    case 'expression':
      return {
        kind: 'and',
        terms: requiredTexts(filter).map((texts) => ({ kind: 'or', terms: texts.map(textNeeded) })),
      };
    case 'field': {
      const atoms = atomsOf(filter);
      if (atoms === undefined) return undefined;
      return { kind: 'or', terms: atoms.values.map(({ name, value }, i) => valueNeeded(name, value, atoms.texts[i])) };
    }
    default:
      return undefined;
  }
}

/**
 * A line with a value has it stored, or in its text. A value that is an IPv4 address is an ASCII token there: fields
 * begin behind a space, a quote or a colon. They end in front of a quote, a comma or the end of the text. Only white
 * space may have been removed from their ends, which is no part of an ASCII token.
 */
function valueNeeded(name: string, value: string, text: string | undefined): NeededHashes {
  const stored = allOfHashes(hashesOfValue(name, value));
  if (text === undefined) return stored;
  const also: NeededHashes = { kind: 'or', terms: [textNeeded(text), stored] };
  const hashes = hashesOfAddress(value);
  return hashes === undefined ? also : { kind: 'address', hashes, also };
}

const allOfHashes = (hashes: readonly number[]): NeededHashes => ({ kind: 'all', hashes });

const textNeeded = (text: string): NeededHashes => allOfHashes(hashesOfText(text));
