// Writes the type of a schema as TypeScript.
import type * as z from 'zod';
import {
  definitionOf,
  descriptionOf,
  isOptional,
  isPreprocessed,
  keyText,
  nounOf,
  quote,
  rowOf,
  type Side,
} from './schema-facts.ts';

const WIDTH = 120;
/** Any text within a template of text. */
const ANY_TEXT = `\${string}`;

/** Writes a docstring, wrapped; empty without a text. Paragraphs are separated by line feeds. */
export function docstring(text: string | undefined, indent = ''): string {
  if (text === undefined || text === '') return '';
  const single = `${indent}/** ${text} */`;
  if (single.length <= WIDTH && !text.includes('\n')) return `${single}\n`;
  const lines = text.split('\n').flatMap((paragraph) => wrap(paragraph, WIDTH - indent.length - 3));
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/** Writes the type of a schema: the name of a noun, or its structure. */
export function typeText(schema: z.core.$ZodType, side: Side, indent = ''): string {
  const name = nounOf(schema);
  if (name !== undefined) return name;
  const row = rowOf(schema);
  return row === undefined ? structureText(schema, side, indent) : `Page<${typeText(row, side, indent)}>`;
}

/** Writes the structure of a schema, also of a noun. */
export function structureText(schema: z.core.$ZodType, side: Side, indent = ''): string {
  const def = definitionOf(schema);
  const text = (inner: z.core.$ZodType) => typeText(inner, side, indent);
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'undefined':
    case 'unknown':
    case 'never':
      return def.type;
    case 'literal':
      return unionText(def.values.map((value) => (typeof value === 'string' ? quote(value) : String(value))));
    case 'enum':
      return unionText(Object.values(def.entries).map((value) => quote(String(value))));
    case 'array':
      return listText(text(def.element));
    case 'object':
      return membersText(def.shape, side, indent);
    case 'record': {
      const record = `Record<${text(def.keyType)}, ${text(def.valueType)}>`;
      return def.partial === true ? `Partial<${record}>` : record;
    }
    case 'template_literal':
      return `\`${def.parts.map((part) => (typeof part === 'object' ? ANY_TEXT : String(part))).join('')}\``;
    case 'union':
      return unionText(def.options.map(text));
    case 'optional':
      return unionText([text(def.innerType), 'undefined']);
    case 'nullable':
      return unionText([text(def.innerType), 'null']);
    case 'default':
      return side === 'input' ? unionText([text(def.innerType), 'undefined']) : text(def.innerType);
    case 'pipe':
      return text(side === 'output' || isPreprocessed(def) ? def.out : def.in);
    default:
      throw new Error(`no type for a schema of the type ${def.type}`);
  }
}

const listText = (element: string): string => (/^[\w<>]+$/.test(element) ? `${element}[]` : `Array<${element}>`);

/** A literal is left out beside the type that includes it. */
function unionText(parts: readonly string[]): string {
  const all = new Set(parts.flatMap((part) => (part.startsWith('{') ? [part] : part.split(' | '))));
  return [...all].filter((part) => !(part.startsWith("'") && all.has('string'))).join(' | ');
}

/** Writes the members of an object with their docstrings. */
export function membersText(shape: Readonly<Record<string, z.core.$ZodType>>, side: Side, indent = ''): string {
  const inside = `${indent}  `;
  const members = Object.entries(shape).map(([name, schema]) => {
    const mark = isOptional(schema, side) ? '?' : '';
    return `${docstring(descriptionOf(schema), inside)}${inside}${keyText(name)}${mark}: ${typeText(schema, side, inside)};\n`;
  });
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}
