import { AppError } from '../errors.ts';

/** What the gate refuses: bytes that nobody can read, or a shape that nobody needs. */
export type RefusedFor = 'unreadable' | 'shape';

/** What the gate refuses before any schema sees it (rule S1); each wire puts it into its own form. */
export class InputRefusal extends AppError {
  readonly refusedFor: RefusedFor;
  constructor(refusedFor: RefusedFor, message: string, field?: string) {
    const isPlaced = field !== undefined && field !== '';
    super('INVALID_REQUEST', isPlaced ? `${field}: ${message}` : message, isPlaced ? { field } : {});
    this.name = 'InputRefusal';
    this.refusedFor = refusedFor;
  }
}

export function notJson(): InputRefusal {
  return new InputRefusal('unreadable', 'the body is not valid JSON in UTF-8');
}

/** A body that ended before its end, or is not compressed as it says. */
export function brokenOff(): InputRefusal {
  return new InputRefusal('unreadable', 'the body ended too soon, or is not compressed as it says');
}

export function nestsDeeper(levels: number): InputRefusal {
  return new InputRefusal('shape', `the body nests deeper than ${levels} levels`);
}

export function notStorable(): InputRefusal {
  return new InputRefusal('shape', 'a text holds half a surrogate pair or the character U+0000');
}

export function tooManyMembers(most: number, field?: string): InputRefusal {
  return new InputRefusal('shape', `an object has at most ${most} members`, field);
}

export function tooManyInAll(most: number): InputRefusal {
  return new InputRefusal('shape', `all objects of the body together have more than ${most} members`);
}

export function tooManyElements(most: number, field?: string): InputRefusal {
  return new InputRefusal('shape', `an array has at most ${most} elements`, field);
}

export function tooManyValues(most: number): InputRefusal {
  return new InputRefusal('shape', `the body holds more than ${most} values`);
}

export function tooManyNumbers(most: number): InputRefusal {
  return new InputRefusal('shape', `the message holds more than ${most} fields, lengths and whole numbers`);
}

export function tooLongText(mostBytes: number, field?: string): InputRefusal {
  return new InputRefusal('shape', `a text has at most ${mostBytes} bytes`, field);
}

export function tooLargeValue(): InputRefusal {
  return new InputRefusal('shape', 'one of its values is larger than 1 MiB');
}

export function tooManyBytes(most: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `send at most ${most} bytes`);
}
