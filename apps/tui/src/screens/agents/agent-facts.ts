// Facts about an agent with their labels, for details and comparisons. Pure.

import type { Agent } from '@quarterdeck/sdk';
import { isKnown, progressText, reasonWord, remarksOf, stateOf, stateWord } from '@quarterdeck/views/agents';
import { clean, count, fullTime, plural, signed, span, versionText } from '@quarterdeck/views/text';
import { type Fact, factLines, paragraph } from '../../components/list/detail-lines.ts';
import type { Line } from '../../theme/lines.ts';
import { timeAgo } from '../list/moments.ts';
import { labelsText } from '../shared/agent-labels.ts';

/** A fact about an agent. */
export interface AgentFact extends Fact {
  /** Field of the agent as JSON, for times of which it is not known. */
  readonly field?: string;
}

const moment = (seconds: number, nowMs: number): string => (seconds === 0 ? '' : timeAgo(seconds, nowMs));
const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

function stateFact(agent: Agent, nowMs: number): AgentFact {
  const { text, tone } = signed(stateWord(stateOf(agent)));
  const since = agent.state_since ?? 0;
  const words = [text, reasonWord(agent), since === 0 ? '' : `for ${span(nowMs - since * 1000)}`];
  return { field: 'state', label: 'State', value: words.filter((word) => word !== '').join(', '), tone };
}

function shipperText({ shipper }: Agent): string {
  if (shipper == null) return '';
  const { files, lines, bytes_waiting: waiting, lines_dropped: dropped, lines_refused: refused } = shipper;
  const { files_refused: refusedFiles = 0 } = shipper;
  return [
    `${plural(files, 'file')}, ${plural(lines, 'line')}`,
    ...(refusedFiles > 0 ? [`${plural(refusedFiles, 'file')} refused`] : []),
    ...(waiting > 0 ? [`${count(waiting)} bytes waiting`] : []),
    ...(dropped > 0 ? [`${plural(dropped, 'line')} dropped`] : []),
    ...(refused > 0 ? [`${plural(refused, 'line')} refused`] : []),
  ].join(', ');
}

/** Files whose lines do not tell their time or level: their form is not known. */
function unclearFacts({ shipper }: Agent): AgentFact[] {
  return (shipper?.unclear_files ?? []).map(({ path, lines, lines_without_time: time, lines_without_level: level }) => {
    const parts = [
      ...(time > 0 ? [`${count(time)} without a known time`] : []),
      ...(level > 0 ? [`${count(level)} without a known level`] : []),
    ];
    return {
      label: 'Unclear file',
      value: `${clean(path)}: of ${plural(lines, 'line')} ${parts.join(', ')}`,
      tone: 'warning',
    };
  });
}

/** State, host and what people wrote. */
export function summaryFacts(agent: Agent, nowMs: number): AgentFact[] {
  const { system_version: system, interval, labels = {}, shipper } = agent;
  const remarks = remarksOf({ ...agent, reason: undefined }).map(signed);
  return [
    stateFact(agent, nowMs),
    { field: 'last_reported', label: 'Last reported', value: moment(agent.last_reported, nowMs) || 'never' },
    ...(interval === undefined ? [] : [{ field: 'interval', label: 'Reports every', value: `${interval} s` }]),
    ...remarks.map(({ text, tone }): AgentFact => ({ label: 'Warning', value: text, tone })),
    { field: 'progress', label: 'Progress', value: clean(progressText(agent)) || 'idle' },
    { field: 'ip', label: 'IP', value: clean(agent.ip) },
    { field: 'env', label: 'Environment', value: clean(agent.env) },
    { field: 'system_version.kernel_distro', label: 'Distribution', value: clean(system.kernel_distro) },
    {
      field: 'system_version.kernel',
      label: 'Kernel',
      value: `${clean(system.kernel)}${agent.bad_kernel ? ' (marked as bad)' : ''}`,
      ...(agent.bad_kernel ? { tone: 'warning' as const } : {}),
    },
    {
      field: 'package.version',
      label: 'Agent version',
      value: versionText(agent.package.version),
    },
    { field: 'labels', label: 'Labels', value: clean(labelsText(labels)) },
    { field: 'note', label: 'Note', value: clean(agent.note) },
    ...(shipper === undefined ? [] : [{ field: 'shipper', label: 'Log shipping', value: shipperText(agent) }]),
    ...unclearFacts(agent),
    { label: 'Registered', value: moment(agent.created, nowMs) },
  ];
}

/** System, versions and starts. */
export function systemFacts(agent: Agent, nowMs: number): AgentFact[] {
  const { system_version: system, dependency, boot_time: booted = 0, started = 0, package: own } = agent;
  return [
    { label: 'Node', value: clean(agent.node_id) },
    { field: 'ip', label: 'IP', value: clean(agent.ip) },
    { field: 'system_name', label: 'System', value: clean(agent.system_name) },
    { field: 'system_version.kernel_distro', label: 'Distribution', value: clean(system.kernel_distro) },
    { field: 'system_version.kernel', label: 'Kernel', value: clean(system.kernel) },
    { field: 'system_version.kernel_package', label: 'Kernel package', value: clean(system.kernel_package) },
    { field: 'system_version.kernel_bid', label: 'Kernel build', value: clean(system.kernel_bid) },
    { field: 'system_version.libc', label: 'C library', value: clean(system.libc) },
    { field: 'dependency.stap_version', label: 'SystemTap', value: clean(dependency.stap_version) },
    { field: 'dependency.odb_version', label: 'ODB', value: clean(dependency.odb_version) },
    { field: 'package.version', label: 'Agent version', value: versionText(own.version) },
    {
      field: 'package.timestamp',
      label: 'Agent built',
      value: own.timestamp === 0 ? '' : fullTime(own.timestamp * 1000),
    },
    {
      field: 'boot_time',
      label: 'Host booted',
      value: booted === 0 ? '' : `${moment(booted, nowMs)}, by the clock of the host`,
    },
    {
      field: 'started',
      label: 'Agent started',
      value: started === 0 ? '' : `${moment(started, nowMs)}, by the clock of the host`,
    },
  ];
}

/** Settings and enrollment. */
export function settingsFacts(agent: Agent, nowMs: number): AgentFact[] {
  const { maintenance = false, labels = {}, enrollment_id: enrollment = 0 } = agent;
  return [
    { field: 'catch_transient_event', label: 'Transient events', value: yesNo(agent.catch_transient_event) },
    { field: 'autorun_tools', label: 'Runs tools itself', value: yesNo(agent.autorun_tools) },
    {
      field: 'maintenance',
      label: 'Maintenance',
      value: maintenance ? 'yes: no alerts when it goes and comes back' : 'no',
      ...(maintenance ? { tone: 'notice' as const } : {}),
    },
    { field: 'labels', label: 'Labels', value: clean(labelsText(labels)) },
    { field: 'note', label: 'Note', value: clean(agent.note) },
    {
      field: 'enrollment_id',
      label: 'Enrolled with',
      value: enrollment === 0 ? 'an API token' : `enrollment token ${enrollment}`,
    },
    { label: 'Registered', value: moment(agent.created, nowMs) },
    { field: 'modified', label: 'Changed', value: moment(agent.modified, nowMs) },
    { label: 'Id', value: String(agent.id) },
  ];
}

/** Renders facts, with `?` for values that are not known of the time that is shown. */
export function agentFactLines(agent: Agent, facts: readonly AgentFact[], width: number): Line[] {
  const marked = facts.map((fact): Fact => {
    const isUnknown = fact.field !== undefined && !isKnown(agent, fact.field);
    return isUnknown ? { label: fact.label, value: '?', tone: 'muted' } : fact;
  });
  const hasUnknown = marked.some((fact, index) => fact !== facts[index]);
  const legend = hasUnknown ? [[], ...paragraph('? is not known of that time.', width, 'muted')] : [];
  return [...factLines(marked, width), ...legend];
}
