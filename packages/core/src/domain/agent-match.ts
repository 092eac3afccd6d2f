// Applies the filter language to one agent in memory, as `filter=` of the list does in SQL.
import { type AgentFieldName, labelOfName } from '../filter/agent-names.ts';
import { compileTest } from '../filter/compile-filter.ts';
import { compileExpression } from '../filter/expressions.ts';
import type { Filter, Term } from '../filter/filter.ts';
import { unixOf } from '../filter/moment.ts';
import { decide } from '../filter/plan-filter.ts';
import { textMatcher } from '../filter/text-matcher.ts';
import type { Agent } from './agent.ts';

const flag = (value: boolean | undefined) => (value === true ? 'yes' : 'no');

/** Values of the fields of an agent that are compared as text. */
const VALUES: Readonly<Record<Exclude<AgentFieldName, 'since' | 'until'>, (agent: Agent) => string>> = {
  state: ({ state = '' }) => state,
  host: ({ hostname }) => hostname,
  node: ({ node_id }) => node_id,
  address: ({ ip }) => ip,
  note: ({ note }) => note,
  env: ({ env }) => env,
  online: ({ online }) => flag(online),
  maintenance: ({ maintenance }) => flag(maintenance),
  bad_kernel: (agent) => flag(agent.bad_kernel),
  cloned: ({ cloned }) => flag(cloned),
  kernel: ({ system_version }) => system_version.kernel,
  kernel_package: ({ system_version }) => system_version.kernel_package,
  kernel_build: ({ system_version }) => system_version.kernel_bid,
  distribution: ({ system_version }) => system_version.kernel_distro,
  os: ({ system_name }) => system_name,
  libc: ({ system_version }) => system_version.libc,
  stap: ({ dependency }) => dependency.stap_version,
  odb: ({ dependency }) => dependency.odb_version,
  version: (agent) => (agent.package.version === 0 ? '' : String(agent.package.version)),
  transient_events: ({ catch_transient_event: isOn }) => flag(isOn),
  autorun_tools: ({ autorun_tools: isOn }) => flag(isOn),
  interval: ({ interval = 0 }) => String(interval),
  id: ({ id }) => String(id),
};

/** Labels in the form that texts and expressions search. */
const labelTexts = ({ labels = {} }: Agent) => Object.entries(labels).map(([name, value]) => `${name}=${value}`);

/** Texts of an agent that terms without a field search. */
const searched = (agent: Agent) => [agent.hostname, agent.node_id, agent.ip, agent.note, ...labelTexts(agent)];

/** Compiles a filter of agents to a test of one agent of `detail=1`. Ages count back from `nowS`, in Unix seconds. */
export function compileAgentFilter(filter: Filter, nowS: number): (agent: Agent) => boolean {
  return (agent) => decide(filter, (term) => matchesTerm(term, agent, nowS)) === true;
}

function matchesTerm(term: Term, agent: Agent, nowS: number): boolean {
  switch (term.kind) {
    case 'text':
      return searched(agent).some(textMatcher(term.text));
    case 'expression':
      return searched(agent).some(compileExpression(term));
    case 'since':
      return agent.last_reported >= unixOf(term.moment, nowS);
    case 'until':
      return agent.last_reported <= unixOf(term.moment, nowS);
    case 'field': {
      const label = labelOfName(term.field);
      const matches = compileTest(term.test);
      if (label === undefined) return matches(VALUES[term.field as keyof typeof VALUES](agent));
      const { labels = {} } = agent;
      const isPresent = Object.hasOwn(labels, label);
      return term.test.op === 'any' ? isPresent : matches(isPresent ? (labels[label] ?? '') : '');
    }
  }
}
