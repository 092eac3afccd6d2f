// The own account: password, second factor, sessions.
import './account.css';
import { useState } from 'react';
import { SERVER_URL } from '../../api/base.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { accountText } from '../../text/account.ts';
import { text } from '../../text/common.ts';
import { signInText } from '../../text/sign-in.ts';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

const words = accountText;

export function Page() {
  const me = useMe();
  const { signOut } = useSession();
  const { act } = useToasts();
  return (
    <>
      <PageHeader title={text.nav.account} />
      <div className="cards">
        <section className="card">
          <h2>{me?.username}</h2>
          <p className="muted">{words.role(me?.role ?? '')}</p>
          <Button
            onClick={() =>
              void act(async () => {
                await signOut();
                return words.signedOut;
              })
            }
          >
            {text.nav.signOut}
          </Button>
        </section>
        <Password />
        <SecondFactor />
        {me?.provider !== undefined && <Confirmation provider={me.provider} />}
        {me?.must_set_up_second_factor === false && <Sessions />}
      </div>
    </>
  );
}

/** Confirms this session at the provider that it was opened with, also for people without a password. */
function Confirmation({ provider }: { readonly provider: string }) {
  return (
    <section className="card">
      <h2>{words.confirmation.title}</h2>
      <p>{words.confirmation.note}</p>
      <a className="button" href={`${SERVER_URL}/auth/oidc/${provider}?purpose=confirm&to=/account`}>
        {words.confirmation.with(provider)}
      </a>
    </section>
  );
}

function Password() {
  const { client } = useSession();
  const { say } = useToasts();
  const [isOpen, setOpen] = useState(false);
  const field = (name: string, label: string, autoComplete: string) =>
    ({ name, label, autoComplete, type: 'password' }) as const;
  return (
    <section className="card">
      <h2>{signInText.password}</h2>
      <p>{words.password.note}</p>
      <Button onClick={() => setOpen(true)}>{words.password.change}</Button>
      {isOpen && (
        <FormDialog
          title={words.password.change}
          fields={[
            field('current', words.password.current, 'current-password'),
            field('password', words.password.next, 'new-password'),
          ]}
          submit={words.password.change}
          run={async ({ current = '', password = '' }) => {
            await client.user.changePassword({ body: { current_password: current, password } });
            say({ text: words.password.changed });
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}
