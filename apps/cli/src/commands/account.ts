// Commands about the sign-in, the profiles, and the way to the server.
import type { Command, Noun } from '../command/command.ts';
import { OUTPUT_FLAGS, outputFlags, SERVER_FLAGS } from '../command/flags.ts';

export const login: Command = {
  about: 'Sign in and store the credential in the keyring of the system, or in a file only you can read',
  args: '[url]',
  argsAbout: 'Address of the server; default: that of the profile',
  flags: [
    { name: 'username', short: 'u', type: 'text', placeholder: 'name', about: 'Username; asked for if it is missing' },
    {
      name: 'password_stdin',
      type: 'flag',
      about: 'Read the password from standard input, and a one-time code from its second line',
    },
    { name: 'code', type: 'flag', about: 'Show a code to confirm in a browser; the way without a password' },
    { name: 'token_stdin', type: 'flag', about: 'Store the API token of standard input instead of signing in' },
    { name: 'remember', type: 'flag', about: 'The session lasts 31 days instead of 8 hours' },
    ...SERVER_FLAGS,
  ],
  examples: [
    'login https://ops.example.org --profile prod',
    'login --username ann --remember',
    'login --code',
    'quarterdeck login --token-stdin < token.txt',
  ],
  run: async (invocation) => (await import('../account/login.ts')).runLogin(invocation),
};

export const logout: Command = {
  about: 'End the session, and remove its stored credential',
  flags: SERVER_FLAGS,
  run: async (invocation) => (await import('../account/login.ts')).runLogout(invocation),
};

export const mcp: Command = {
  about: 'Serve tools for assistants on standard input and output (Model Context Protocol)',
  flags: [
    { name: 'allow_changes', type: 'flag', about: 'Let the assistant mute and resolve errors, after a dry run' },
    ...SERVER_FLAGS,
  ],
  examples: ['mcp --profile prod', 'mcp --allow-changes'],
  run: async (invocation) => (await import('../run/mcp.ts')).runMcp(invocation),
};

/** Fields of a profile: the usual columns, and those of `-o wide`. */
const PROFILE_FIELDS = [
  ...['name', 'used', 'url', 'username', 'expire'],
  ...['console_url', 'read_only', 'protected', 'token_file'],
];

export const profile: Noun = {
  about: 'Servers to connect to, shared with the dashboard',
  fallback: 'list',
  verbs: {
    list: {
      about: 'List the profiles',
      flags: outputFlags(PROFILE_FIELDS),
      run: async (invocation) => (await import('../account/profile-commands.ts')).runProfileList(invocation),
    },
    use: {
      about: 'Use a profile when no other is named, also in the dashboard',
      args: '<name>',
      argsAbout: 'Name of the profile',
      flags: [],
      examples: ['profile use prod'],
      run: async (invocation) => (await import('../account/profile-commands.ts')).runProfileUse(invocation),
    },
    add: {
      about: 'Add a profile, or change its address',
      args: '<name> <url>',
      argsAbout: 'Name and address of the server',
      flags: [
        { name: 'console_url', type: 'text', placeholder: 'url', about: 'Address of the console, if it differs' },
        { name: 'read_only', type: 'flag', about: 'Refuse every change' },
        { name: 'protected', type: 'flag', about: 'Ask before every change' },
        { name: 'token_file', type: 'text', placeholder: 'file', about: 'File with an API token' },
      ],
      examples: ['profile add prod https://ops.example.org --protected'],
      run: async (invocation) => (await import('../account/profile-commands.ts')).runProfileAdd(invocation),
    },
    remove: {
      about: 'Remove a profile and the credential for its address',
      args: '<name>',
      argsAbout: 'Name of the profile',
      flags: [],
      examples: ['profile remove staging'],
      run: async (invocation) => (await import('../account/profile-commands.ts')).runProfileRemove(invocation),
    },
  },
};

export const doctor: Command = {
  about: 'Check the way to the server: reach, clock, certificate, version, rights',
  flags: [...outputFlags(['check', 'result', 'detail']).filter(({ name }) => name !== 'quiet'), ...SERVER_FLAGS],
  examples: ['doctor', 'doctor --profile prod -o json'],
  run: async (invocation) => (await import('../account/doctor.ts')).runDoctor(invocation),
};

export const api: Command = {
  about: 'Call any path of the server and print its data',
  args: '<method> <path>',
  argsAbout: 'GET, POST, PUT or DELETE, and the path with its query',
  flags: [
    { name: 'body', type: 'text', placeholder: 'file', about: 'JSON body, from a file or - for standard input' },
    { name: 'field', short: 'F', type: 'pairs', placeholder: 'name=value', about: 'Field of the body or of the query' },
    { name: 'envelope', type: 'flag', about: 'Print the whole answer instead of its data' },
    ...OUTPUT_FLAGS.filter(({ name }) => name === 'output' || name === 'jq'),
    ...SERVER_FLAGS,
  ],
  examples: [
    'api GET /admin-api/user/me',
    'api GET /admin-api/log_server/errlog -F level=4 -F page_size=5 --jq .data[].log',
    'echo \'{"name": "ci"}\' | quarterdeck api POST /admin-api/api_token --body -',
  ],
  run: async (invocation) => (await import('../run/api.ts')).runApi(invocation),
};
