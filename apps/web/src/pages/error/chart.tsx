import { useLocation } from 'wouter';
import { Histogram } from '../../components/histogram.tsx';
import { useRead } from '../../data/use-read.ts';
import { errorText } from '../../text/error.ts';

const SPAN_S = 86_400;
const BARS = 48;

/** The occurrences of an error over the last day. A dragged span opens its lines. */
export function Chart({ id }: { readonly id: number }) {
  const [, navigate] = useLocation();
  const filter = `group:${id}`;
  const { data } = useRead(
    (client, call) => {
      const start_time = Math.floor(Date.now() / 1000) - SPAN_S;
      return client.errlog.histogram({ query: { filter, start_time, buckets: BARS } }, call);
    },
    [filter],
  );
  if (data === undefined) return null;
  return (
    <section>
      <h2>{errorText.chart}</h2>
      <Histogram
        bars={data.buckets.map(({ time, count }) => ({ time, count, bad: count }))}
        step={data.step}
        noun={errorText.occurrences}
        onSelect={(startS, endS) =>
          navigate(`/lines?filter=${encodeURIComponent(filter)}&start_time=${startS}&end_time=${endS - 1}`)
        }
      />
    </section>
  );
}
