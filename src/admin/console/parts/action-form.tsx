import { filledIn } from '../../operator/filled-in.ts';
import type { Json, Operation } from '../../operator/operation.ts';
import { mayAct } from '../../../directory/operator/operator.ts';
import type { PageCall } from '../console-page.ts';
import type { Child, Markup } from '../html/markup.ts';
import { TypedField } from './fields.tsx';

interface ActionFormProps<P, Q, B, A extends Json> {
  call: PageCall;
  operation: Operation<P, Q, B, A>;
  /** Its path's parameters. */
  of: Record<string, string>;
  /** On the button. */
  label: string;
  /** Above the button: what will happen. */
  children?: Child;
  /** What cannot be taken back. */
  isFinal?: boolean;
  /** What has to be typed first. */
  phrase?: string | undefined;
  /** The field of which something has to be chosen. */
  needs?: string;
}

/** A form that does one thing, for those who may; for others nothing is there. */
export function ActionForm<P, Q, B, A extends Json>(props: ActionFormProps<P, Q, B, A>): Markup {
  const { call, operation, of, label, children, isFinal = false, phrase, needs } = props;
  if (!mayAct(call.operator.role, operation.role)) return <></>;
  const path = filledIn(operation.path, of);
  return (
    <form class="act" method="post" action={`/admin/do${path}`}>
      {call.formFields(path, { phrase, needs })}
      {children}
      {phrase !== undefined && <TypedField phrase={phrase} />}
      {operation.asksFreshSignIn === true && call.signInOlderThan !== undefined && (
        <p class="quiet">
          {`This takes a sign-in of the last ${call.signInOlderThan} minutes, and yours is older: you are asked to sign in again first, and what you typed is kept.`}
        </p>
      )}
      <button class={isFinal && 'final'}>{label}</button>
    </form>
  );
}

/** A line or more of words. */
export function WordsField({
  name,
  label,
  hint,
  isNeeded = false,
}: {
  name: string;
  label: string;
  hint?: string;
  isNeeded?: boolean;
}): Markup {
  return (
    <label>
      {label}
      {hint !== undefined && <span class="quiet">{hint}</span>}
      <textarea name={name} rows={2} maxlength={2000} required={isNeeded} />
    </label>
  );
}
