import { AppError } from '../../platform/errors.ts';
import type { Approval, FirstYes } from './approval.ts';
import type { ApprovalGrant } from './grant.ts';

/** When an approval takes the yes of two people (rule B15.two). */
export interface TwoPeople {
  /** Of a total in minor units of its currency, by the setting as it is now. */
  areNeeded(total_minor: number, currency: string): boolean;
  /** Whether this person may approve still: they have not been removed, and their role has not become less. */
  mayApprove(person_id: string): Promise<boolean>;
}

/** Whoever approves: a person, or undefined for a credential that stands for no one person. */
export interface Approver {
  person_id?: string | null | undefined;
  by: string;
}

/** For a house in which one yes is enough for everything. */
export const onePersonIsEnough: TwoPeople = {
  areNeeded: () => false,
  mayApprove: () => Promise.resolve(true),
};

/** Where it takes two, whose yes this is. @throws {AppError} `FORBIDDEN` for what stands for no one person. */
export function personOf({ person_id, by }: Approver): string {
  if (typeof person_id === 'string') return person_id;
  const message = `this takes the yes of two people, and ${by} stands for no one person`;
  throw new AppError('FORBIDDEN', message, {
    field: 'approval_id',
    suggestion: 'approve with a key of your own: npm run agent -- operator-keys add NAME --role operator --person ID',
  });
}

/** The yes that stands for these terms, and whose person may still say it; undefined when another one comes first. Pure. */
export function standingYes(
  { first_yes }: Pick<Approval, 'first_yes'>,
  grant: ApprovalGrant,
  gone: string | undefined,
): FirstYes | undefined {
  if (first_yes === undefined || first_yes.person_id === gone) return undefined;
  const { digest, total_minor } = first_yes.grant;
  return digest === grant.digest && total_minor === grant.total_minor ? first_yes : undefined;
}

/** Both as one decision: the names, and the words to the buyer one after the other. Pure. */
export function bothYeses(first: FirstYes, second: { by: string; note: string }): { by: string; note: string } {
  const note = [first.note ?? '', second.note].filter((words) => words !== '').join('\n');
  return { by: `${first.by} and ${second.by}`, note };
}
