import type { ButtonHTMLAttributes } from 'react';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main`: the first choice of its place. `bad`: it destroys something. */
  readonly look?: 'main' | 'bad' | undefined;
}

/** A button; it submits a form only where its type says so. */
export const Button = ({ look, type = 'button', ...rest }: ButtonProps) => (
  <button type={type} className={look === undefined ? 'button' : `button button-${look}`} {...rest} />
);
