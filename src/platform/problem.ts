import { AppError } from './errors.ts';
import type { Issue, Problem } from './errors.ts';
import { fieldPath, jsonPointer, pathOfField, shownPath } from './field-path.ts';
import { INPUT_LIMITS } from './intake/input-limits.ts';
import { inRequestOrder } from './request-order.ts';

/** Of the message, in characters: it travels in headers, too. The first problem is told whole. */
const MESSAGE_LENGTH = 1000;

/**
 * The refusal of a request with all that is wrong with it, in the request's order: at most 50 in `issues`, and in the message
 * as many as fit (rule B12.details). Code and `field` are the first problem's; where anything does not fit the schema, the first
 * such problem's, since the whole is a schema failure then (rule C.errors.schema).
 * @param request as it was sent; without it the problems stay in the order they have.
 * @param lead the one of them that code and `field` are taken from, where that is known.
 */
export function refusalOf(problems: readonly Problem[], request?: unknown, lead?: Problem): AppError {
  const all = request === undefined ? [...problems] : inRequestOrder(problems, request);
  const first = lead ?? all.find(({ code }) => code === 'VALIDATION_ERROR') ?? all[0] ?? NOTHING;
  const field = fieldPath(first.path);
  const details = Object.fromEntries([...all, first].flatMap((problem) => Object.entries(problem.details ?? {})));
  return new AppError(first.code, messageOf([first, ...all.filter((problem) => problem !== first)]), {
    ...(field !== '' && { field }),
    ...(first.suggestion !== undefined && { suggestion: first.suggestion }),
    issues: all.slice(0, INPUT_LIMITS.issues).map(issueOf),
    ...(Object.keys(details).length > 0 && { details }),
    problems: all,
  });
}

const NOTHING: Problem = { code: 'INVALID_REQUEST', path: [], message: 'the request does not hold' };

function issueOf({ path, message }: Problem): Issue {
  return { pointer: jsonPointer(shownPath(path)), message };
}

function messageOf([first, ...others]: readonly Problem[]): string {
  let text = first === undefined ? '' : textOf(first);
  for (const problem of others) {
    const next = `; ${textOf(problem)}`;
    if (text.length + next.length > MESSAGE_LENGTH) return `${text}; and more, see issues`;
    text += next;
  }
  return text;
}

function textOf({ path, message }: Problem): string {
  return path.length === 0 ? message : `${fieldPath(path)}: ${message}`;
}

/** What an error says against a request: its problems, or itself as one at its `field`; none where it concerns no place. */
export function problemsIn(error: AppError): readonly Problem[] {
  const { code, message, problems } = error;
  const { field, suggestion, details } = error.details;
  if (problems.length > 0 || field === undefined) return problems;
  const prefix = `${field}: `;
  return [
    {
      ...{ code, path: pathOfField(field) },
      message: message.startsWith(prefix) ? message.slice(prefix.length) : message,
      ...(suggestion !== undefined && { suggestion }),
      ...(details !== undefined && { details }),
    },
  ];
}

/** What a check says against a request. @throws whatever the check throws that is about no place of the request. */
export async function problemsFrom(check: () => unknown): Promise<readonly Problem[]> {
  try {
    await check();
    return [];
  } catch (error) {
    const problems = error instanceof AppError ? problemsIn(error) : [];
    if (problems.length === 0) throw error;
    return problems;
  }
}

/**
 * Problems of form, and what else is wrong: a place that a problem of form names, or that holds one, is not named again, since
 * what was said of it was said of what is left there.
 */
export function withOthers(form: readonly Problem[], others: readonly Problem[]): Problem[] {
  const named = new Set(form.flatMap(({ path }) => path.map((_, i) => jsonPointer(path.slice(0, i + 1)))));
  return [...form, ...others.filter(({ path }) => path.length > 0 && !named.has(jsonPointer(path)))];
}
