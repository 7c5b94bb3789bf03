import { z } from 'zod';
import type { JsonObject } from '../../platform/json-object.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { AccountKey, accountIdOf } from '../../sales/account/account.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { readFields } from '../mutation-fields.ts';
import type { TestedParts } from '../tested-parts.ts';
import { ControllerRefusal } from './refusal.ts';
import { LIST_SCENARIOS, SCENARIOS } from './scenarios.ts';
import { liveAccount, sandboxAccount } from './scene.ts';
import type { Scene } from './scene.ts';

/** The request of `comply_test_controller`: which scenario, with what, under which sandbox account. */
export const ComplyTestControllerRequest = z.strictObject({
  scenario: z.string().max(128),
  params: z.record(z.string(), z.unknown()).default({}),
  /** The account by its id, or by what it is known by, also where it is not opened yet. */
  account_id: z.string().max(256).optional(),
  account_key: AccountKey.optional(),
  ...readFields,
});
export type ComplyTestControllerRequest = z.infer<typeof ComplyTestControllerRequest>;

/** The response, in the public protocol's form: a scenario that cannot be played is an answer, too. */
export const ComplyTestControllerResponse = z.looseObject({
  success: z.boolean(),
  error: z.string().optional(),
  error_detail: z.string().optional(),
  current_state: z.string().nullable().optional(),
});

/** Brings about what tests of the public protocol want, as far as the state tables allow it. */
export function complyTestController(deps: TaskDependencies, tested: TestedParts): TaskDefinition {
  return inlineTask<ComplyTestControllerRequest>({
    name: 'comply_test_controller',
    title: 'Test controller',
    description: 'Forces states and delivery for tests of the public protocol, in sandbox accounts alone.',
    tags: ['testing'],
    examples: [{ title: 'What it can do', input: { scenario: LIST_SCENARIOS } }],
    scope: 'tasks:write',
    input: ComplyTestControllerRequest,
    output: ComplyTestControllerResponse,
    async answer(request, { caller, newId }) {
      try {
        const { account_key } = request;
        const account_id = request.account_id ?? (account_key && accountIdOf(caller.organization_id, account_key));
        const told = await played(request, { ...deps, caller, newId, account_id, account_key, tested });
        return { result: { success: true, ...told }, message: `${request.scenario}: done` };
      } catch (error) {
        if (!(error instanceof ControllerRefusal)) throw error;
        const { code, message, currentState } = error;
        const state = currentState === undefined ? {} : { current_state: currentState };
        return { result: { success: false, error: code, error_detail: message, ...state }, message };
      }
    },
  });
}

/** @throws {ControllerRefusal} */
async function played(request: ComplyTestControllerRequest, scene: Scene): Promise<JsonObject> {
  const { scenario: name } = request;
  const { account_id, account_key } = scene;
  if (name === LIST_SCENARIOS) return { scenarios: SCENARIOS.map((one) => one.name) };
  const found = SCENARIOS.find((one) => one.name === name);
  if (found === undefined) throw new ControllerRefusal('UNKNOWN_SCENARIO', `there is no scenario ${name}`);
  const params = found.params.safeParse(request.params);
  if (!params.success) {
    const [issue] = params.error.issues;
    const at = ['params', ...(issue?.path ?? [])].join('.');
    throw new ControllerRefusal('INVALID_PARAMS', `${at}: ${issue?.message ?? 'is not valid'}`);
  }
  // 3.0 names none where it expects a refusal: then whatever is touched says itself whose it is.
  if (account_key?.sandbox === false) throw liveAccount('the account');
  const isUnopened = account_id !== undefined && account_key !== undefined && !(await scene.accounts.get(account_id));
  if (account_id !== undefined && !isUnopened) await sandboxAccount(scene, account_id);
  return found.play(params.data, scene);
}
