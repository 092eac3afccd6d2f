// Confirms the code of a terminal: shows which one asks, and from where, before it may sign in.
import type { AskingDevice } from '@quarterdeck/sdk';
import { failureOf } from '@quarterdeck/views/failures';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { FormProblem } from '../../components/form-problem.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useSession } from '../../session/session.tsx';
import { deviceText } from '../../text/device.ts';

const words = deviceText;

export function Page() {
  const { client, onFailure } = useSession();
  const [code, setCode] = useState('');
  const [device, setDevice] = useState<AskingDevice | null>(null);
  const [result, setResult] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      onFailure(error);
      setProblem(failureOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  const find = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => setDevice(await client.deviceLogin.find({ body: { user_code: code } })));
  };
  const decide = (approve: boolean) =>
    void run(async () => {
      await client.deviceLogin.confirm({ body: { user_code: code, approve } });
      setResult(approve ? words.approved : words.denied);
    });

  return (
    <>
      <PageHeader title={words.title} />
      <FormProblem text={problem} />
      {result !== null ? (
        <p role="status">{result}</p>
      ) : device === null ? (
        <form onSubmit={find} aria-busy={busy}>
          <label className="field">
            {words.code}
            <input
              value={code}
              onChange={({ target }) => setCode(target.value)}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={40}
              required
            />
          </label>
          <p className="muted">{words.intro}</p>
          <Button look="main" type="submit" disabled={busy}>
            {words.next}
          </Button>
        </form>
      ) : (
        <Decision device={device} busy={busy} onDecide={decide} />
      )}
    </>
  );
}

interface DecisionProps {
  readonly device: AskingDevice;
  readonly busy: boolean;
  readonly onDecide: (approve: boolean) => void;
}

function Decision({ device, busy, onDecide }: DecisionProps) {
  return (
    <section className="card">
      <h2>{words.asks}</h2>
      <dl>
        <dt>{words.name}</dt>
        <dd>{device.name === '' ? words.unnamed : device.name}</dd>
        <dt>{words.address}</dt>
        <dd>{device.address}</dd>
        <dt>{words.program}</dt>
        <dd>{device.client}</dd>
        <dt>{words.since}</dt>
        <dd>
          <RelativeTime ms={device.created * 1000} />
        </dd>
      </dl>
      <p>{words.warning}</p>
      <Button look="main" disabled={busy} onClick={() => onDecide(true)}>
        {words.approve}
      </Button>{' '}
      <Button disabled={busy} onClick={() => onDecide(false)}>
        {words.deny}
      </Button>
    </section>
  );
}
