// Sets up the second factor in three steps: the password, the code for the phone, the first code from it.
import type { SecondFactorDraft } from '@quarterdeck/sdk';
import { useState } from 'react';
import { encode } from 'uqr';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { accountText } from '../../text/account.ts';
import { signInText } from '../../text/sign-in.ts';

/** A QR code of a text. A camera needs dark modules on a light ground in any colour scheme. */
function QrCode({ value, label }: { readonly value: string; readonly label: string }) {
  const { data, size } = encode(value, { border: 2 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}

type Step =
  | { readonly kind: 'password' | 'off' }
  | { readonly kind: 'scan' | 'code'; readonly draft: SecondFactorDraft }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

const words = accountText.factor;
const PASSWORD = {
  name: 'password',
  label: signInText.password,
  type: 'password',
  autoComplete: 'current-password',
} as const;
const CODE = { name: 'otp', label: signInText.code, autoComplete: 'one-time-code' } as const;

/** The part of the page about the second factor. */
export function SecondFactor() {
  const me = useMe();
  const { client, renew } = useSession();
  const { say } = useToasts();
  const [step, setStep] = useState<Step | null>(null);
  if (me === null) return null;
  const close = (): void => setStep(null);
  // A step opens the next one; only a person closes them.
  const closeUnless = (kind: Step['kind']) => (): void =>
    setStep((now) => (now !== null && now.kind !== kind ? now : null));

  return (
    <section className="card">
      <h2>{words.title}</h2>
      <p>{me.second_factor ? words.on : me.must_set_up_second_factor ? accountText.demanded : words.off}</p>
      <button
        type="button"
        className={me.must_set_up_second_factor ? 'button button-main' : 'button'}
        onClick={() => setStep({ kind: me.second_factor ? 'off' : 'password' })}
      >
        {me.second_factor ? words.turnOff : words.setUp}
      </button>
      {step?.kind === 'password' && (
        <FormDialog
          title={words.setUp}
          fields={[PASSWORD]}
          submit={words.next}
          note={words.needsApp}
          run={async ({ password = '' }) =>
            setStep({ kind: 'scan', draft: await client.user.beginSecondFactor({ body: { password } }) })
          }
          onClose={closeUnless('password')}
        />
      )}
      {step?.kind === 'scan' && (
        <Dialog title={words.scan} onClose={closeUnless('scan')}>
          <QrCode value={step.draft.uri} label={words.qr} />
          <p>
            {words.orType} <code className="secret">{step.draft.secret}</code>
          </p>
          <div className="buttons">
            <Button look="main" onClick={() => setStep({ kind: 'code', draft: step.draft })}>
              {words.next}
            </Button>
            <CopyButton value={step.draft.secret} />
          </div>
        </Dialog>
      )}
      {step?.kind === 'code' && (
        <FormDialog
          title={words.first}
          fields={[{ ...CODE, hint: words.firstHint }]}
          submit={words.turnOn}
          run={async ({ otp = '' }) => {
            const { recovery_codes: codes } = await client.user.confirmSecondFactor({ body: { otp: otp.trim() } });
            setStep({ kind: 'codes', codes });
          }}
          onClose={closeUnless('code')}
        />
      )}
      {step?.kind === 'codes' && (
        <Dialog
          title={words.codes}
          onClose={() => {
            close();
            void renew().catch(() => undefined);
          }}
        >
          <p>{words.codesNote}</p>
          <pre className="secret">{step.codes.join('\n')}</pre>
          <form method="dialog" className="buttons">
            <CopyButton value={step.codes.join('\n')} />
            <Button type="submit" look="main">
              {words.stored}
            </Button>
          </form>
        </Dialog>
      )}
      {step?.kind === 'off' && (
        <FormDialog
          title={words.turnOff}
          fields={[PASSWORD, { ...CODE, hint: signInText.codeHint }]}
          submit={words.turnOff}
          note={words.offNote}
          run={async ({ password = '', otp = '' }) => {
            await client.user.removeSecondFactor({ body: { password, otp: otp.trim() } });
            await renew();
            say({ text: words.isOff });
          }}
          onClose={close}
        />
      )}
    </section>
  );
}
