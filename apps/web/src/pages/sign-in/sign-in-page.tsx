// Signs in: user name and password, then the code of the second factor where the server asks for it.
import '../../components/form.css';
import './sign-in.css';
import { isApiError, type SignInProviders } from '@quarterdeck/sdk';
import { failureOf } from '@quarterdeck/views/failures';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { SERVER_URL, safePlace } from '../../api/base.ts';
import { Button } from '../../components/button.tsx';
import { FormProblem } from '../../components/form-problem.tsx';
import { useTitle } from '../../components/use-title.ts';
import { useSession } from '../../session/session.tsx';
import { signInText } from '../../text/sign-in.ts';

const words = signInText;

export function Page() {
  const { session, signIn } = useSession();
  const [wantsCode, setWantsCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const username = useRef<HTMLInputElement>(null);
  const code = useRef<HTMLInputElement>(null);
  const place = safePlace(new URLSearchParams(location.search).get('to'));
  const hasEnded = session.status === 'out' && session.hasEnded;
  useTitle(words.title);
  useEffect(() => {
    (wantsCode ? code : username).current?.focus();
  }, [wantsCode]);

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string): string => String(form.get(name) ?? '');
    setBusy(true);
    setProblem(null);
    try {
      const otp = field('otp').trim();
      await signIn({
        username: field('username').trim(),
        password: field('password'),
        remember: form.has('remember'),
        ...(otp === '' ? {} : { otp }),
      });
    } catch (error) {
      setBusy(false);
      if (isApiError(error) && error.code === 'otp_required') setWantsCode(true);
      else if (isApiError(error) && error.code === 'login_failed')
        setProblem(wantsCode ? words.wrongCode : words.wrong);
      else setProblem(failureOf(error).message);
    }
  };

  return (
    <form className="sign-in" onSubmit={submit} aria-busy={busy}>
      <h1>{words.title}</h1>
      {hasEnded && problem === null && <p>{words.ended}</p>}
      <FormProblem text={problem} />
      <label className="field">
        {words.username}
        <input
          ref={username}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
      </label>
      <label className="field">
        {words.password}
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      {wantsCode && (
        <div className="field">
          <label htmlFor="otp">{words.code}</label>
          <input
            id="otp"
            name="otp"
            ref={code}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
            aria-describedby="otp-hint"
          />
          <p id="otp-hint" className="muted">
            {words.codeHint}
          </p>
        </div>
      )}
      <label className="check">
        <input name="remember" type="checkbox" /> {words.remember}
      </label>
      <Button look="main" type="submit" disabled={busy}>
        {busy ? words.busy : words.submit}
      </Button>
      <Providers place={place} />
      {place !== '/' && <p className="muted">{words.back(place.replace(/[?#].*$/, ''))}</p>}
    </form>
  );
}

/** Links to the providers of the server. They leave the page: a provider is another site. */
function Providers({ place }: { readonly place: string }) {
  const { client } = useSession();
  const [ways, setWays] = useState<SignInProviders | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    // Without them, there is still the password.
    client.user.providers({}, { signal: ending.signal }).then(setWays, () => undefined);
    return () => ending.abort();
  }, [client]);
  if (ways === null || ways.providers.length === 0) return null;
  return (
    <>
      {ways.password_login === 'masters' && <p className="muted">{words.mastersOnly}</p>}
      {ways.providers.map(({ name, path }) => (
        <a key={name} className="button" href={`${SERVER_URL}${path}?to=${encodeURIComponent(place)}`}>
          {words.with(name)}
        </a>
      ))}
    </>
  );
}
