// docs/reference/settings.schema.json: a JSON Schema of the settings file, for editors.
import { PROVIDER_SETTINGS, SETTINGS } from '../../apps/server/src/settings/config.ts';
import { keyOf } from '../../apps/server/src/settings/settings-file.ts';

type Setting = (typeof SETTINGS)[number];

const SAMPLE_NUMBERS = ['1', '15', '100', '1000'];

/** JSON types that a key may have, found by trying values. */
function typesOf({ schema, allowed }: Setting): string[] {
  const accepts = (value: string) => schema.safeParse(value).success;
  const types = ['string'];
  if (SAMPLE_NUMBERS.some(accepts)) types.push('integer');
  if (accepts('off')) types.push('boolean');
  if (allowed.includes('comma')) types.push('array');
  return types;
}

function propertiesOf(setting: Setting): [string, object][] {
  const { allowed, help = '' } = setting;
  const key = keyOf(setting);
  const description = `${help}; allowed: ${allowed}`;
  return [
    [key, { description, type: typesOf(setting), items: { type: 'string' } }],
    [`${key}_file`, { description: `File that holds the value of ${key}`, type: 'string' }],
  ];
}

/** The same of a provider, whose name is a part of the key. A secret is in a file alone. */
const patternsOf = (setting: Setting): [string, object][] =>
  propertiesOf(setting)
    .filter(([key]) => setting.secret !== true || key.endsWith('_file'))
    .map(([key, property]) => [`^${key.replace('<name>', '[a-z][a-z0-9_]*')}$`, property]);

export const settingsSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'quarterdeck.toml, the settings of the Quarterdeck server',
      type: 'object',
      properties: Object.fromEntries(SETTINGS.flatMap(propertiesOf)),
      patternProperties: Object.fromEntries(PROVIDER_SETTINGS.flatMap(patternsOf)),
      additionalProperties: false,
    },
    null,
    2,
  )}\n`;
