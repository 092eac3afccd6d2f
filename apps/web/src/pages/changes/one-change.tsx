// One change and its effects on errors.
import type { ChangeEffects } from '@quarterdeck/sdk';
import { lackSentence } from '@quarterdeck/views/changes';
import { Link } from 'wouter';
import { LevelBadge } from '../../components/badges.tsx';
import { Fact } from '../../components/fact.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { SafeLink } from '../../components/safe-link.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { changesText } from '../../text/changes.ts';
import { text } from '../../text/common.ts';
import { changeTitle } from '../../words/change.ts';
import { fullTime, numberText } from '../../words/format.ts';

const words = changesText;

const TONES: Readonly<Record<ChangeEffects['verdict'], string>> = {
  worse: 'bad',
  no_difference: 'good',
  too_early: 'calm',
};

/** The page of one change. */
export function OneChange({ id }: { readonly id: number }) {
  const { can } = useSession();
  const read = useRead((client, call) => client.change.get({ params: { id } }, call), [id]);
  return (
    <ReadState read={read} noun={words.one} title={text.nav.changes}>
      {(change) => (
        <>
          <PageHeader title={changeTitle(change)}>
            <Link href="/changes" className="button">
              {words.all}
            </Link>
          </PageHeader>
          <div className="cards">
            <dl className="facts card">
              <Fact name={words.happened}>
                {fullTime(change.time * 1000)}
                {change.author !== '' && `, ${words.by(change.author)}`}
              </Fact>
              {change.service !== '' && <Fact name={words.service}>{change.service}</Fact>}
              <Fact name={words.hosts}>{change.hosts.length === 0 ? words.everywhere : change.hosts.join(', ')}</Fact>
              {change.unknown_hosts.length > 0 && (
                <Fact name={words.unknownHosts}>{change.unknown_hosts.join(', ')}</Fact>
              )}
              {change.url !== '' && (
                <Fact name={words.page}>
                  <SafeLink href={change.url}>{change.url}</SafeLink>
                </Fact>
              )}
            </dl>
            {can('errlog:read') && <Effects id={id} />}
          </div>
        </>
      )}
    </ReadState>
  );
}

function Effects({ id }: { readonly id: number }) {
  const read = useRead((client, call) => client.change.effects({ params: { id }, query: {} }, call), [id]);
  return (
    <section className="card">
      <h2>{words.effects}</h2>
      <ReadState read={read} noun={words.effectsNoun}>
        {(effects) => (
          <>
            <p className={`badge-line badge-line-${TONES[effects.verdict]}`}>{words.verdicts[effects.verdict]}</p>
            {effects.missing.length > 0 && <p className="stale">{lackSentence(effects)}</p>}
            {effects.errors.length === 0 ? (
              <p className="muted">{words.noErrors}</p>
            ) : (
              <ul className="rows">
                {effects.errors.map((error) => (
                  <li key={error.id} className="row">
                    <p className="row-title clamped">
                      <Link href={`/e/${error.id}`} className="row-link mono">
                        {error.log}
                      </Link>
                    </p>
                    <p className="row-facts">
                      <LevelBadge level={error.level} />
                      <span>{error.verdict}</span>
                      <span>{words.rates(numberText(error.before), numberText(error.after))}</span>
                      {error.service !== '' && <span>{error.service}</span>}
                    </p>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </ReadState>
    </section>
  );
}
