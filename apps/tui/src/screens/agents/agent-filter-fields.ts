// Fields of the filter that the columns of the agents show. Pure.
import type { Agent } from '@quarterdeck/sdk';
import { stateOf } from '@quarterdeck/views/agents';
import type { Column } from '../../components/list/column.ts';

/** Fields of the filter, by column. */
const FILTER_FIELDS: Readonly<Record<string, NonNullable<Column<Agent>['field']>>> = {
  state: { name: 'state', value: stateOf },
  host: { name: 'host' },
  ip: { name: 'address' },
  env: { name: 'env' },
  kernel: { name: 'kernel' },
  distribution: { name: 'distribution' },
  version: { name: 'version', value: ({ package: { version } }) => String(version) },
  node: { name: 'node' },
};

/** Lets the column filter by its values. */
export function withFilterField(column: Column<Agent>): Column<Agent> {
  const field = FILTER_FIELDS[column.id];
  return field === undefined ? column : { ...column, field };
}
