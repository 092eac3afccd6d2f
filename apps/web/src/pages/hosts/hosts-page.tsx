// The hosts: a list with filter and states, now or at a moment of the last 30 days. All of it is in the address.
import './hosts.css';
import { AGENT_FIELDS } from '@quarterdeck/core/filter';
import type { AgentListQuery } from '@quarterdeck/sdk';
import { agentFilterSource } from '@quarterdeck/views/agents';
import { useCallback, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { Facet } from '../../components/facets.tsx';
import { FilterField } from '../../components/filter-field.tsx';
import { HostState } from '../../components/host-state.tsx';
import { Moment, momentOf } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Freshness, ReadState } from '../../components/read-state.tsx';
import { SortChoice } from '../../components/sort-choice.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { about } from '../../data/live.tsx';
import { useParams } from '../../data/use-params.ts';
import { useRead } from '../../data/use-read.ts';
import { useRowsMax } from '../../data/use-rows-max.ts';
import { useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { filterText } from '../../text/filter.ts';
import { hostsText } from '../../text/hosts.ts';
import { fullTime } from '../../words/format.ts';
import { plural } from '../../words/plural.ts';

const words = hostsText;
type Sort = NonNullable<AgentListQuery['sort']>;
const SORTS = Object.keys(words.sorts) as Sort[];

export function Page() {
  const { client } = useSession();
  const [params, change] = useParams();
  const [, navigate] = useLocation();
  const [rowsMax, onRange] = useRowsMax();
  const key = params.toString();
  const { selection, sort } = useMemo(() => {
    const from = new URLSearchParams(key);
    const value = (name: string): string | undefined => from.get(name) || undefined;
    return {
      selection: { filter: value('filter'), state: value('state'), at: momentOf(from) },
      sort: SORTS.find((one) => one === from.get('sort')) ?? ('-state_since' as const),
    };
  }, [key]);
  const { at, state, filter } = selection;
  const options = at === undefined ? { concerns: about('agent') } : {};
  const list = useRead(
    ({ agent }, call) =>
      agent.list.page({ query: { ...selection, sort, detail: 1, _page: 1, _pagesize: rowsMax } }, call),
    [selection, sort, rowsMax],
    options,
  );
  const totals = useRead(({ agent }, call) => agent.totals({ query: { filter, at } }, call), [filter, at], options);
  const source = useMemo(
    () => agentFilterSource(client, state === undefined ? {} : { state }, AGENT_FIELDS),
    [client, state],
  );
  const onMoment = useCallback(
    (next: number | undefined) => change({ at: next === undefined ? undefined : String(next) }),
    [change],
  );

  return (
    <>
      <PageHeader title={text.nav.hosts}>
        {at === undefined ? <Freshness read={list} /> : <p className="freshness">{words.asOf(fullTime(at * 1000))}</p>}
      </PageHeader>
      <div className="list-bar hosts-bar">
        <FilterField
          label={filterText.apply}
          value={filter ?? ''}
          onApply={(next) => change({ filter: next })}
          source={source}
        />
        <SortChoice label={words.sort} sorts={words.sorts} sort={sort} onChange={(next) => change({ sort: next })} />
        <Moment at={at} onChange={onMoment} />
        {totals.data !== undefined && (
          <Facet
            title={words.states}
            values={totals.data.states.map((one) => ({ key: one.state, text: one.state, count: one.count }))}
            chosen={state?.split(',') ?? []}
            onChange={(chosen) => change({ state: chosen.join(',') })}
          />
        )}
      </div>
      <ReadState read={list} noun={words.noun}>
        {({ data, meta }) => (
          <div>
            <p className="muted" role="status">
              {data.length === 0 ? `${words.none} ${words.noneHint}` : plural(meta.count, words.host)}
            </p>
            <VirtualList
              label={text.nav.hosts}
              count={data.length}
              rowHeight={68}
              onRange={(_from, to) => onRange(to, data.length)}
              onOpen={(index) => navigate(`/h/${data[index]?.id}${at === undefined ? '' : `?at=${at}`}`)}
            >
              {(index) => {
                const agent = data[index];
                if (agent === undefined) return null;
                return (
                  <article>
                    <p className="row-title">
                      <Link href={`/h/${agent.id}${at === undefined ? '' : `?at=${at}`}`} className="row-link">
                        {agent.hostname || agent.node_id}
                      </Link>
                    </p>
                    <p className="row-facts">
                      <HostState agent={agent} />
                      <span>{agent.ip}</span>
                    </p>
                  </article>
                );
              }}
            </VirtualList>
          </div>
        )}
      </ReadState>
    </>
  );
}
