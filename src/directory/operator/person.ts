import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import { OPERATOR_ROLES, SHARED_KEY_NAME } from './operator.ts';
import type { OperatorRole } from './operator.ts';

/** A person who works at the seller (rule S5). A row stays when they go, since the record names it. */
export const OperatorPerson = z.strictObject({
  person_id: z.string(),
  /** As the record has it. */
  name: z.string(),
  /** The name in lower case: one person of a name at a time. */
  name_key: z.string(),
  email: z.string().nullable(),
  role: z.enum(OPERATOR_ROLES),
  state: z.enum(['active', 'removed']),
  created_at: z.string(),
  invited_by: z.string(),
  removed_at: z.string().nullable(),
  removed_by: z.string().nullable(),
  /** The account that signs them in at an identity provider, since the first time it did. */
  oidc: z.object({ issuer: z.string(), subject: z.string(), bound_at: z.string() }).optional(),
  /**
   * The role that they were invited with, while a claim of the identity provider gives them theirs; null of who was never invited, and is
   * let in by the claim alone. Absent where no claim does.
   */
  invited_role: z.enum(OPERATOR_ROLES).nullable().optional(),
  revision: z.int(),
});
export type OperatorPerson = z.infer<typeof OperatorPerson>;

export const OperatorPeople: CollectionSpec<OperatorPerson> = {
  name: 'operator_people',
  key: 'person_id',
  schema: OperatorPerson,
  indexes: [
    { name: 'name', fields: ['name_key'], unique: true, where: { state: 'active' } },
    { name: 'created', fields: ['created_at'] },
    { name: 'role', fields: ['state', 'role'] },
  ],
};

export interface PeopleDeps {
  store: Store;
  clock: Clock;
}

/** What is said of a new person. */
export interface Invitation {
  name: string;
  email?: string | undefined;
  role: OperatorRole;
  by: string;
  /** The same for the same click: a repeat finds the person made. */
  click: string;
  /** Of who is let in by a claim, and was not invited. */
  account?: Pick<OperatorPerson, 'oidc' | 'invited_role'>;
}

/** The form in which names are compared. */
function nameKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

/**
 * Adds a person. @throws {AppError} `CONFLICT` when somebody has this name already; `VALIDATION_ERROR` for the name by which the
 * record calls the shared key.
 */
export async function addPerson(
  { store, clock }: PeopleDeps,
  { name, email, role, by, click, account }: Invitation,
): Promise<OperatorPerson> {
  assertNotReserved(name);
  const row: OperatorPerson = {
    person_id: `person_${click}`,
    ...{ name, name_key: nameKey(name), email: email ?? null, role, state: 'active' },
    ...{ created_at: toTimestamp(clock.now()), invited_by: by, removed_at: null, removed_by: null, revision: 1 },
    ...account,
  };
  const people = store.collection(OperatorPeople);
  const { inserted } = await people.insert(row);
  if (inserted) return row;
  const made = await people.get(row.person_id);
  if (made !== undefined) return made;
  throw new AppError('CONFLICT', `there is a person called ${name} already; choose another name`, { field: 'name' });
}

/** @throws {AppError} `VALIDATION_ERROR` for the shared key's name: the record would not say who that was. */
export function assertNotReserved(name: string): void {
  if (nameKey(name) !== nameKey(SHARED_KEY_NAME)) return;
  throw new AppError('VALIDATION_ERROR', `name must not be ${SHARED_KEY_NAME}: the record calls the shared key so`, {
    field: 'name',
  });
}

/** A person who has not been removed, by id. */
export async function activePerson({ store }: Pick<PeopleDeps, 'store'>, person_id: string) {
  const row = await store.collection(OperatorPeople).get(person_id);
  return row?.state === 'active' ? row : undefined;
}

/** Whether anybody is an admin by name. */
export async function hasAdmin({ store }: Pick<PeopleDeps, 'store'>): Promise<boolean> {
  return (await store.collection(OperatorPeople).count({ state: 'active', role: 'admin' }, { most: 1 })) > 0;
}

/** @throws {AppError} `NOT_FOUND`. */
export async function knownPerson(deps: Pick<PeopleDeps, 'store'>, person_id: string): Promise<OperatorPerson> {
  const row = await activePerson(deps, person_id);
  if (row === undefined) throw new AppError('NOT_FOUND', 'no person has this id', { field: 'person_id' });
  return row;
}

/** Gives a person another role. @throws {AppError} `NOT_FOUND`; `INVALID_STATE` for the last admin. */
export function changeRole(deps: PeopleDeps, person_id: string, role: OperatorRole): Promise<OperatorPerson> {
  return keepingAnAdmin(deps, person_id, (row) => ({ ...row, role }));
}

/** Gives a person the role that a claim says, and notes which they were invited with. @throws {AppError} likewise. */
export function changeRoleByClaim(
  deps: PeopleDeps,
  person_id: string,
  { role, invited_role }: { role: OperatorRole; invited_role: OperatorRole | null | undefined },
): Promise<OperatorPerson> {
  return keepingAnAdmin(deps, person_id, ({ invited_role: _former, ...row }) => ({
    ...row,
    role,
    ...(invited_role !== undefined && { invited_role }),
  }));
}

/** Removes a person for good. @throws {AppError} `NOT_FOUND`; `INVALID_STATE` for the last admin. */
export function removePerson(deps: PeopleDeps, person_id: string, by: string): Promise<OperatorPerson> {
  const removed_at = toTimestamp(deps.clock.now());
  return keepingAnAdmin(deps, person_id, (row) => ({ ...row, state: 'removed', removed_at, removed_by: by }));
}

/**
 * Changes an active person, and takes the change back when no admin is left: there are no transactions, and of two admins who
 * remove each other at once neither may find the other still there. So both may be refused, and never both be gone.
 */
async function keepingAnAdmin(
  { store }: PeopleDeps,
  person_id: string,
  change: (row: OperatorPerson) => OperatorPerson,
): Promise<OperatorPerson> {
  const people = store.collection(OperatorPeople);
  let before: OperatorPerson | undefined;
  const result = await people.update(person_id, (row) => {
    before = row.state === 'active' ? row : undefined;
    return before && change(before);
  });
  if (result === undefined || before === undefined) {
    throw new AppError('NOT_FOUND', 'no person has this id', { field: 'person_id' });
  }
  if (before.role !== 'admin' || isActiveAdmin(result.row)) return result.row;
  if (await hasAdmin({ store })) return result.row;
  const { role, state, removed_at, removed_by } = before;
  await people.update(person_id, (row) => ({ ...row, role, state, removed_at, removed_by }));
  throw new AppError('INVALID_STATE', `${before.name} is the last admin; make another person admin first`, {
    field: 'person_id',
  });
}

function isActiveAdmin({ state, role }: OperatorPerson): boolean {
  return state === 'active' && role === 'admin';
}
