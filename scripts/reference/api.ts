// docs/reference/api.md, errors.md, events.md and permissions.md, from the tables of the contract.

import { OPEN_ENDPOINTS, RAW_ENDPOINTS } from '../../apps/server/src/http/endpoints/raw-endpoints.ts';
import { TAGS } from '../../apps/server/src/http/openapi/tags.ts';
import { TYPES_BY_NAME } from '../../packages/core/src/domain/event.ts';
import { NOUNS } from '../../packages/core/src/generated/nouns.ts';
import {
  ALERT_KIND_NAMES,
  contract,
  ERRORS,
  type ErrorCode,
  EVENTS,
  errorClass,
  isOpenBody,
  PERMISSIONS,
  permissionFor,
  permissionsWithin,
  ROLE_NAMES,
  ROLES,
  subjectNeeds,
  wireCode,
} from '../../packages/core/src/index.ts';
import { code, page, table } from './markdown.ts';

type Endpoint = (typeof RAW_ENDPOINTS)[string];

const request = ({ method, path }: Endpoint) => code(`${method} ${path}`);

function callers({ access, narrowed }: Endpoint): string {
  const permission = permissionFor(access);
  const mark = narrowed ? ' *' : '';
  if (permission === undefined) return `${access.replace('_', ' ')}${mark}`;
  return access === permission ? `${code(permission)}${mark}` : `${code(permission)}, confirmed`;
}

function endpointTable(endpoints: readonly Endpoint[], calls: readonly string[]): string {
  const rows = endpoints.map((one, index) => [
    request(one),
    ...calls.slice(index, index + 1),
    callers(one),
    one.summary,
  ]);
  return table(['request', ...(calls.length > 0 ? ['method of the SDK'] : []), 'callers', 'answer'], rows);
}

/** Returns the page of the endpoints. */
export function apiPage(): string {
  const nouns = Object.entries(TAGS).flatMap(([name, description]) => {
    const verbs = Object.entries(
      (contract as Readonly<Record<string, Readonly<Record<string, Endpoint>>>>)[name] ?? {},
    );
    if (verbs.length === 0) return [];
    const calls = verbs.map(([verb]) => code(`${name}.${verb}`));
    return [
      `## ${name}`,
      description,
      endpointTable(
        verbs.map(([, one]) => one),
        calls,
      ),
    ];
  });
  return page(
    '# API',
    `The complete description is [openapi.json](../openapi.json). A server serves it at \`GET /openapi.json\`, and as a page with a search at
\`GET /docs\`. This page lists the endpoints by noun. \`callers\` is a [permission](permissions.md) or a kind of caller. \`confirmed\` means a
session that signed in or confirmed itself within the last 10 minutes. A star marks what callers with a
[filter of sources](../how-to/tenants.md) reach, narrowed to these sources. [conventions.md](conventions.md) describes what all endpoints have in
common, [errors.md](errors.md) lists the errors, and [events.md](events.md) the events.`,
    ...nouns,
    '## Other endpoints',
    'These answers have no envelope.',
    endpointTable(OTHERS, []),
    '## Unknown fields and parameters',
    `These endpoints ignore what they do not know, and name it in the header \`Quarterdeck-Ignored\`. All others refuse it:
[conventions.md](conventions.md#unknown-fields-and-parameters).`,
    treatmentTable(),
  );
}

const OTHERS = [...Object.values(RAW_ENDPOINTS), ...OPEN_ENDPOINTS.map(({ endpoint }) => endpoint)];

/** Lists the endpoints that do not refuse all unknown fields. */
function treatmentTable(): string {
  const endpoints = [...Object.values(contract).flatMap((one): Endpoint[] => Object.values(one)), ...OTHERS];
  const rows = endpoints.flatMap((one) => {
    if (isOpenBody(one)) return [[request(one), 'open: any field', 'refused']];
    if (one.unknownInput !== 'ignored') return [];
    const limits = one.limitNames === undefined ? '' : ', but refused where they are near to a limit';
    return [[request(one), one.method === 'GET' ? '' : `ignored${limits}`, 'ignored']];
  });
  return table(['request', 'unknown fields of the body', 'unknown parameters'], rows);
}

const REMEDIES: Readonly<Record<ReturnType<typeof errorClass>, string>> = {
  input: 'the request is wrong; correct it',
  content: 'the server read the content and never accepts it; drop it',
  credential: 'no credential, or none that is valid; get another one',
  login: 'a password or code was wrong; a person must act',
  permission: 'the caller lacks a right',
  missing: 'the object does not exist',
  unsupported: 'the server has no such endpoint',
  conflict: 'the request does not fit the present state',
  rate: 'the caller sends too much; wait',
  server: 'the server has a problem',
};

export const errorsPage = (): string =>
  page(
    '# Errors',
    `A failure has the code in \`err.code\` and the sentence in \`err.msg\`, which may be more precise than the one in this table. Codes never change
their meaning. A retryable request may succeed later without a change; \`Retry-After\` says when. A client treats an unknown code by its
status. \`Accept: application/problem+json\` asks for the same as a problem document (RFC 9457).`,
    table(
      ['code', 'status', 'class', 'retryable', 'sentence'],
      Object.entries(ERRORS).map(([name, { status, retryable, message }]) => [
        code(wireCode(name as ErrorCode)),
        String(status),
        errorClass(status, name),
        retryable ? 'yes' : '',
        message,
      ]),
    ),
    '## Classes',
    'The class is the kind of problem, and with it the remedy.',
    table(
      ['class', 'meaning'],
      Object.entries(REMEDIES).map(([name, meaning]) => [code(name), meaning]),
    ),
  );

const NAME_OF_SHAPE = new Map(Object.entries(NOUNS).map(([name, schema]) => [schema as object, name]));

export const eventsPage = (): string =>
  page(
    '# Events',
    `\`GET /admin-api/events\` streams changes as server-sent events. Each event has an \`id\`, a type, and one JSON object as its \`data\`. Send
\`Last-Event-ID\` to catch up after an interruption. A subscriber gets the events that it may read: an alert also needs
the permission of [its kind](permissions.md#permissions-of-rules). A subscriber with a
[filter of sources](../how-to/tenants.md) gets events about these sources, and none about outages, changes from outside and tokens of others. The shapes of \`data\` are schemas of
[openapi.json](../openapi.json).`,
    `\`types\` is a list of types with commas. Without it, a stream has all types but those that come by name only. \`filter\` and the filters of the
list of error logs apply to lines and to events about error logs, except \`req_id\` and the times.`,
    table(
      ['type', 'data', 'needs', 'by name only'],
      Object.entries(EVENTS).map(([type, schema]) => [
        code(type),
        code(NAME_OF_SHAPE.get(schema) ?? ''),
        subjectNeeds(type as keyof typeof EVENTS)
          .map(code)
          .join(', '),
        TYPES_BY_NAME.some((one) => one === type) ? 'yes' : '',
      ]),
    ),
    `- \`line\` is a line, as soon as it is stored. \`line.missed\` counts lines that the stream left out: the subscriber was too slow, or lines came
  faster than a stream carries them.
- \`resync\` means that events were lost. Read the lists of its kind again. It follows a large burst, a restart of the server, or an absence
  of the subscriber beyond the time that events are kept.
- A change from outside is announced as \`change.created\` when the histories of all its agents have it. A change that an agent reports is
  \`agent.changed\`.`,
  );

/** Returns the page of roles and permissions. */
export const permissionsPage = (): string =>
  page(
    '# Roles and permissions',
    `A user has one role. An API token has the permissions of its owner, or those of them that its \`scopes\` name. \`api_token:read\` and
\`api_token:write\` cover the tokens of the caller, \`api_token:manage\` those of everybody. An agent's secret has \`errlog:write\` and opens the
agent's own paths. An enrollment token has \`agent:enroll\`.`,
    table(
      ['permission', ...ROLE_NAMES],
      PERMISSIONS.map((permission) => [
        code(permission),
        ...ROLE_NAMES.map((role) => (ROLES[role].includes(permission) ? 'yes' : '')),
      ]),
    ),
    `Data has the same permission wherever it travels. A permission opens the data of its own noun and of no other. To manage a noun includes to
read what is managed. \`enrollment:manage\` includes \`agent:enroll\`, and \`agent:enroll\` includes to send log lines as the new agent. The
audit log has names, labels and notes of all that people change. Objects name the user who made them (\`created_by\`). \`alert:read\` shows
the names of channels, which rules choose.`,
    `A caller with a [filter of sources](../how-to/tenants.md) has of these at most, within its sources:
${permissionsWithin(PERMISSIONS, 'host:x').map(code).join(', ')}.`,
    '## Permissions of rules',
    `To create, change or preview a rule takes \`alert:write\` and the permissions of its kind. To read its alerts takes \`alert:read\` and the same
permissions: in lists, counts, events, messages and deliveries. Other alerts are left out. [Events](events.md) have their permissions
there.`,
    table(
      ['kind of rule', 'needs'],
      ALERT_KIND_NAMES.map((kind) => [code(kind), subjectNeeds(kind).map(code).join(', ')]),
    ),
  );
