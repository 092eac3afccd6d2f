// The details of a line: its text, then every field as a row that can be selected. Pure.
import { type Line as LogLine, levelName } from '@quarterdeck/core';
import { fieldOfLine, nameOfField } from '@quarterdeck/core/filter';
import { lineValue } from '@quarterdeck/views/lines';
import { clean, clock, fullTime, grouped } from '@quarterdeck/views/text';
import { heading } from '../../components/list/detail-lines.ts';
import { cut, fit, width as widthOf, wrap } from '../../text/width.ts';
import { fitLine, type Line } from '../../theme/lines.ts';
import { messageLines } from '../../theme/message-runs.ts';
import { levelGlyph, on } from '../../theme/theme.ts';

/** Longest shown name of a field, columns. */
const LABEL_MAX = 20;
const LEAD = 2;

/** A field of a line. */
export interface LineField {
  readonly label: string;
  readonly value: string;
  /** Name in a filter. */
  readonly name: string;
}

/** Properties of every line, by their names in a filter. */
const OWN = [
  ['level', 'Level'],
  ['host', 'Host'],
  ['service', 'Service'],
  ['source', 'Source'],
  ['group', 'Group'],
  ['req', 'Request'],
  ['app', 'App'],
] as const;

/** The fields of a line. Fields without a value are left out. */
function fieldGroups(line: LogLine): { readonly sent: LineField[]; readonly known: LineField[] } {
  const sent = Object.keys(line.fields).map((field) => {
    const name = nameOfField(field);
    return { label: fieldOfLine(name) ?? name, name, value: lineValue(line, name) };
  });
  // The name of a source is the host of its lines, with few exceptions.
  const shown = OWN.filter(([name]) => name !== 'source' || line.source !== line.host);
  const known = shown.map(([name, label]) => ({ label, name, value: lineValue(line, name) }));
  const hasValue = ({ value }: LineField): boolean => value !== '';
  return { sent: sent.filter(hasValue), known: known.filter(hasValue) };
}

/** The fields of a line: those of its sender, then those of every line. */
export function lineFields(line: LogLine): LineField[] {
  const { sent, known } = fieldGroups(line);
  return [...sent, ...known];
}

export const lineTitle = ({ level, time, host }: LogLine): string =>
  `${levelGlyph(level)} ${levelName(level)} ${clock(new Date(time * 1000))} ${host}`.trim();

/** The details as rows, and the row at which each field begins. */
export interface LineDetail {
  readonly lines: readonly Line[];
  readonly starts: readonly number[];
}

/** Lays out the details; the field at `selected` is marked, none for -1. */
export function lineDetail(line: LogLine, selected: number, width: number): LineDetail {
  const fields = lineFields(line);
  const labels = Math.min(LABEL_MAX, Math.max(0, ...fields.map(({ label }) => widthOf(clean(label)))));
  const times = line.count > 1 ? `, ${grouped(line.count)} equal lines` : '';
  const lines: Line[] = [
    ...messageLines(line.log, width),
    [],
    [{ text: `${fullTime(line.time * 1000)}${times}`, tone: 'muted' }],
  ];
  const starts: number[] = [];
  const sentCount = fieldGroups(line).sent.length;
  for (const [index, { label, value }] of fields.entries()) {
    if (sentCount > 0 && index === sentCount) lines.push(heading('Every line has'));
    starts.push(lines.length);
    const ground = index === selected ? ('selected' as const) : undefined;
    const rows = wrap(clean(value), Math.max(1, width - LEAD - labels - 2));
    for (const [row, text] of rows.entries()) {
      const name = row === 0 ? cut(clean(label), labels) : '';
      const runs: Line = [
        { text: index === selected ? '▌ ' : '  ', tone: on('accent', ground) },
        { text: `${fit(name, labels)}  `, tone: on('muted', ground) },
        { text, tone: on('plain', ground) },
      ];
      lines.push(fitLine(runs, width, on('plain', ground)));
    }
  }
  return { lines, starts };
}
