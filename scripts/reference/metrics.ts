// docs/reference/metrics.md: the metrics of a server with a syslog receiver, without those of Node.
import { familiesOf, type MetricSources } from '../../apps/server/src/metrics/create-metrics.ts';
import { createHttpTimes } from '../../apps/server/src/metrics/http-times.ts';
import { code, page, table } from './markdown.ts';

const none = (): never => {
  throw new Error('the page needs no values');
};

const SOURCES: MetricSources = {
  admission: () => ({}) as ReturnType<MetricSources['admission']>,
  answers: none,
  http: createHttpTimes(),
  connections: none,
  db: { dialect: 'sqlite', statementTimes: {} as MetricSources['db']['statementTimes'], queue: none },
  intake: none,
  installation: { refresh: none, latest: none },
  passwords: none,
  retention: none,
  signIns: none,
  syslog: () => ({}) as NonNullable<ReturnType<MetricSources['syslog']>>,
  subscribers: none,
  auditSenders: [],
  backups: none,
  alerts: none,
  deliveries: none,
};

export function metricsPage(): string {
  return page(
    '# Metrics',
    `\`GET /metrics\` answers in the text format of Prometheus: [monitor.md](../how-to/monitor.md#metrics). These metrics are those of the server.
Metrics whose names begin with \`process_\` or \`nodejs_\` are those of Node. A name that ends in \`_total\` counts from the start of the process.
A histogram has the names with \`_bucket\`, \`_sum\` and \`_count\`.`,
    table(
      ['metric', 'type', 'meaning'],
      familiesOf(SOURCES).map(({ name, type, help }) => [code(name), type, help]),
    ),
  );
}
