import type { Agent } from '@quarterdeck/sdk';
import { hostsText } from '../text/hosts.ts';
import type { Tone } from '../words/tone.ts';
import { RelativeTime } from './relative-time.tsx';

const TONES: Readonly<Record<NonNullable<Agent['state']>, Tone>> = {
  online: 'good',
  offline: 'bad',
  inactive: 'warning',
  pending: 'calm',
  deleted: 'calm',
};

/** The state of a host, its reason and its beginning. */
export function HostState({ agent }: { readonly agent: Agent }) {
  const { state = 'pending', reason, state_since: since = 0, maintenance, bad_kernel: isBad, cloned } = agent;
  return (
    <>
      <span className={`badge badge-${TONES[state]}`}>{state}</span>
      {reason !== undefined && reason !== 'reporting' && <span>{hostsText.reasons[reason]}</span>}
      {since > 0 && <RelativeTime ms={since * 1000} />}
      {maintenance === true && <span className="badge badge-calm">{hostsText.maintenance}</span>}
      {isBad && <span className="badge badge-warning">{hostsText.badKernel}</span>}
      {cloned === true && <span className="badge badge-bad">{hostsText.cloned}</span>}
    </>
  );
}
