import './form.css';

/** The reason why a form was refused; nothing for null. */
export const FormProblem = ({ text }: { readonly text: string | null }) =>
  text !== null && (
    <p className="form-problem" role="alert">
      {text}
    </p>
  );
