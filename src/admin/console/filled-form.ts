import { AppError } from '../../platform/errors.ts';
import { TICKED } from './parts/tick-field.tsx';

/** A form as it was sent: what the console asks of it, and the body of the operation. */
interface FilledForm {
  asks: Partial<Record<'token' | 'click' | 'back' | 'phrase' | 'typed' | 'needs' | 'held', string>>;
  body: Record<string, string | string[] | true>;
}

/**
 * Tells the console's own fields, whose names begin with `_`, from the operation's. What is left empty is not said; what is chosen
 * several times is a list, and what is ticked is true. Pure.
 */
export function filledForm(form: unknown): FilledForm {
  const fields = Object.entries(form as Record<string, string | string[]>);
  const own = fields.filter(([name, value]) => name.startsWith('_') && typeof value === 'string');
  const given = fields.filter(
    ([name, value]) => !name.startsWith('_') && (typeof value !== 'string' || value.trim() !== ''),
  );
  const ticked = fields.flatMap(([name, value]) => (name === TICKED ? value : []));
  return {
    asks: Object.fromEntries(own.map(([name, value]) => [name.slice(1), value])),
    body: { ...Object.fromEntries(given), ...Object.fromEntries(ticked.map((name) => [name, true as const])) },
  };
}

/** @throws {AppError} `VALIDATION_ERROR` where what has to be typed was not, or nothing was chosen of what has to be. */
export function assertConfirmed({ phrase, typed = '', needs }: FilledForm['asks'], body: FilledForm['body']): void {
  if (phrase !== undefined && typed.trim() !== phrase) {
    throw new AppError('VALIDATION_ERROR', `nothing was done: to confirm it, type ${phrase}`, {
      field: 'typed',
      suggestion: 'go back, type it as it stands beside the field, and send it again',
    });
  }
  if (needs !== undefined && body[needs] === undefined) {
    throw new AppError('VALIDATION_ERROR', `${needs} must have at least one that is chosen`, { field: needs });
  }
}
