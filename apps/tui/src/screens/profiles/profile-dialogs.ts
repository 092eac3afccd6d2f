// The dialogs of the profiles as data.

import type { Values } from '@quarterdeck/views/questions';
import { choiceField } from '../../components/form/fields.ts';
import type { ConfirmDialog, FormDialog } from '../../context/dialog.ts';
import type { Shell } from '../../context/shell.ts';
import { nameProblem, PROFILE_COLORS, type Profile, readAddress } from '../../profiles/profile.ts';

type ProfileActions = Pick<Shell, 'settings' | 'setSettings' | 'profiles'>;

function profileOf(values: Values): Profile | null {
  const url = readAddress(values['url'] ?? '');
  if (url === null) return null;
  const consoleText = (values['console'] ?? '').trim();
  return {
    name: (values['name'] ?? '').trim(),
    url,
    consoleUrl: consoleText === '' ? undefined : (readAddress(consoleText) ?? undefined),
    color: PROFILE_COLORS.find((color) => color === values['color']) ?? 'none',
    readOnly: values['readOnly'] === 'yes',
    isProtected: values['protected'] === 'yes',
    tokenFile: (values['tokenFile'] ?? '').trim() || undefined,
  };
}

function save({ settings, setSettings }: ProfileActions, profiles: readonly Profile[], result: string): string {
  const problem = setSettings({ ...settings, profiles });
  return problem === null ? result : `${result} It lasts until you quit: ${problem}`;
}

export function profileDialog(
  current: Profile | null,
  actions: ProfileActions,
  onSaved: (profile: Profile) => void = () => undefined,
): FormDialog {
  return {
    kind: 'form',
    title: current === null ? 'New server' : `Change ${current.name}`,
    submit: 'save it',
    initial: {
      name: current?.name ?? '',
      url: current?.url ?? 'https://',
      console: current?.consoleUrl ?? '',
      color: current?.color ?? 'none',
      readOnly: current?.readOnly === true ? 'yes' : '',
      protected: current?.isProtected === true ? 'yes' : '',
      tokenFile: current?.tokenFile ?? '',
    },
    fields: () => [
      { kind: 'text', name: 'name', label: 'Name', max: 40, hint: 'prod, staging, home' },
      { kind: 'text', name: 'url', label: 'Address', max: 300 },
      { kind: 'text', name: 'console', label: 'Console', max: 300, hint: 'the same address' },
      choiceField('color', 'Colour', PROFILE_COLORS),
      { kind: 'check', name: 'readOnly', label: 'Read only', text: 'allow no changes' },
      { kind: 'check', name: 'protected', label: 'Protected', text: 'type names before anything is destroyed' },
      { kind: 'text', name: 'tokenFile', label: 'Token file', max: 300, hint: 'a file with an API token, or sign in' },
    ],
    check(values) {
      const name = (values['name'] ?? '').trim();
      const wrong = nameProblem(name);
      if (wrong !== null) return { field: 'name', text: wrong };
      if (name !== current?.name && actions.profiles.some((profile) => profile.name === name)) {
        return { field: 'name', text: 'Another profile has this name.' };
      }
      return profileOf(values) === null
        ? { field: 'url', text: 'An address begins with http:// or https:// and has no query.' }
        : null;
    },
    async run(values) {
      const profile = profileOf(values);
      if (profile === null) return undefined;
      const { profiles } = actions.settings;
      const saved =
        current === null ? [...profiles, profile] : profiles.map((one) => (one.name === current.name ? profile : one));
      onSaved(profile);
      return save(actions, saved, `Saved ${profile.name}.`);
    },
  };
}

export function removeDialog(profile: Profile, actions: ProfileActions): ConfirmDialog {
  return {
    kind: 'confirm',
    title: 'Remove this server?',
    lines: [`${profile.name}, ${profile.url}.`, 'Nothing changes on the server itself.'],
    yes: 'Remove it',
    typed: profile.isProtected ? profile.name : undefined,
    run: async () =>
      save(
        actions,
        actions.settings.profiles.filter(({ name }) => name !== profile.name),
        `Removed ${profile.name}.`,
      ),
  };
}
