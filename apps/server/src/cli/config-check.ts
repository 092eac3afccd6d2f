import { readSettings, SETTINGS } from '../settings/config.ts';
import type { CommandCall } from './command.ts';

const MASK = '(secret, set)';

/** `config check`: the settings as the server would have them. Secrets are masked. */
export async function checkConfig({ config, env, flag, out, say }: CommandCall): Promise<void> {
  const settings = readSettings(env);
  // Before anything is printed: a wrong value ends the command.
  config();
  const rows = [...SETTINGS, ...settings.ofProviders].map((variable) => {
    const value = shown(settings.value(variable));
    return {
      name: variable.name,
      value: value !== null && variable.secret ? MASK : value,
      from: settings.origin(variable),
    };
  });
  // Some of them hold secrets.
  for (const name of settings.openTelemetry) rows.push({ name, value: MASK, from: 'environment' });
  if (flag('json')) {
    out(JSON.stringify({ file: settings.file ?? null, settings: rows, warnings: settings.warnings }, null, 2));
    return;
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, value, from } of rows) {
    out(`${name.padEnd(width)}  ${from.padEnd('environment'.length)}  ${value ?? '(not set)'}`);
  }
  say(settings.file === undefined ? 'There is no settings file.' : `Settings file: ${settings.file}`);
  for (const warning of settings.warnings) say(`Warning: ${warning}`);
}

/** A value as it would be written; null where it is not set. */
function shown(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (value instanceof Map) return value.size === 0 ? null : [...value].map((pair) => pair.join('=')).join(',');
  const text = value instanceof Set || Array.isArray(value) ? [...value].map(itemText).join(',') : String(value);
  // A certificate has many lines.
  const [first = ''] = text.split('\n');
  return first === text ? text : `${first} ...`;
}

const itemText = (item: unknown): string =>
  typeof item === 'object' && item !== null ? Object.values(item).join('=') : String(item);
