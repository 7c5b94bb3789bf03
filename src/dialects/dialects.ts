import type { Caller } from '../directory/caller.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { AppError } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { Logger } from '../platform/log.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import { TaskId } from '../platform/task-id.ts';
import type { RuntimeDependencies } from '../runtime/dependencies.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import { answerOf, bareAnswer } from './adcp/answers.ts';
import type { PublicAnswer } from './adcp/answers.ts';
import { answerCall, refusedAnswer } from './adcp/call.ts';
import { needsCredential } from './adcp/credential-refusal.ts';
import { answerAnybody, discoverable } from './adcp/discovery.ts';
import type { DiscoveryAnswer, DiscoveryCall, DiscoveryLevel } from './adcp/discovery.ts';
import { ownTask } from './adcp/own-task.ts';
import type { PublicCall } from './adcp/public-call.ts';
import { translatorsFor } from './adcp/translators.ts';
import type { TranslatorSources } from './adcp/sources.ts';
import type { Translator } from './adcp/translator.ts';
import { presentEvent } from './adcp/webhooks/present-event.ts';

/** The dialects a call may be in besides the agent's own, in front of one engine. */
export interface Dialects {
  /** The public tasks, in the order of the card. */
  readonly skills: readonly Translator[];
  /** Whether there is a public task of this name. */
  has(skill: string): boolean;
  /** Whether a call is in the public dialect; else it is in our own. */
  isPublic(call: { skill: string; input: JsonObject; extensions?: string | undefined }): boolean;
  /**
   * What marks a call by a name that both dialects have, and that is in none by itself, as of the release in which the task that it asks
   * about was begun; undefined where that was begun in our own words.
   */
  markOfTaskAsked(call: { skill: string; input: JsonObject }, caller: Caller): Promise<JsonObject | undefined>;
  answer(call: PublicCall): Promise<PublicAnswer>;
  /** What is answered to anybody, without a credential; see {@link discover}. */
  readonly discovery: ReadonlySet<string>;
  /** See `answerAnybody`. @throws {AppError} `UNAUTHORIZED` for what is none of these. */
  discover(call: DiscoveryCall): Promise<DiscoveryAnswer>;
  /** The refusal of a call that needs a credential and came without; see `credentialRefused`. */
  needsCredential(request: JsonObject): AppError;
  /** A refusal that left no task as the body of an answer, for wires that have no form of their own for what {@link answer} throws. */
  refused(error: AppError, request: JsonObject): JsonObject;
  /** A task that was asked for in the public dialect, as it stands; undefined for one that was not. */
  shown(run: TaskRun, caller: Caller): Promise<PublicAnswer | undefined>;
  /** The same without its answer: what that says to people, and what it comes to. */
  head(run: TaskRun): PublicAnswer | undefined;
  /** Any task as it stands, in whatever words it was asked for, for whoever reads these alone. */
  standing(run: TaskRun, caller: Caller): Promise<PublicAnswer>;
}

export interface DialectDependencies extends TranslatorSources {
  /** How much is told to those who come without a credential. */
  discovery: DiscoveryLevel;
  runtime: Runtime;
  clock: Clock;
  ids: Ids;
  security: SecurityLog;
  /** How long an answer waits, in milliseconds. */
  answerWaitMs: number;
}

/** The extension of A2A whose callers speak the public dialect. */
export const PUBLIC_EXTENSION_URI = 'https://adcontextprotocol.org/extensions/adcp/v3';

/** Puts events of runs that were asked for in the public dialect into its words; see `RuntimeDependencies.present`. */
export function eventPresenter(
  sources: TranslatorSources & { log: Logger; runtime: () => Pick<Runtime, 'list' | 'peek' | 'read'> },
): NonNullable<RuntimeDependencies['present']> {
  const { clock, log } = sources;
  const translators = new Map(translatorsFor(sources).map((one) => [one.skill, one]));
  return (run, event) =>
    presentEvent({ runtime: sources.runtime(), translators, log, nowMs: () => clock.now() }, run, event);
}

/** The public tasks, in the order of the card: of every release, since a card and a list of tools are of none. */
export function publicSkillsOf(sources: TranslatorSources): Translator[] {
  return translatorsFor(sources);
}

export function createDialects(deps: DialectDependencies): Dialects {
  const { runtime, clock, ids, security, releases, accounts, isSimulated } = deps;
  const skills = publicSkillsOf(deps);
  const translators = new Map(translatorsFor(deps).map((one) => [one.skill, one]));
  const given = {
    runtime,
    security,
    accounts,
    isSimulated,
    translators,
    releases,
    discovery: discoverable(deps.discovery),
    waitMs: deps.answerWaitMs,
    nowMs: () => clock.now(),
    newId: () => ids.newId(),
  };
  return {
    skills,
    has: (skill) => translators.has(skill),
    isPublic: ({ skill, input, extensions = '' }) =>
      (translators.has(skill) && !runtime.tasks.has(skill)) ||
      MARKS.some((mark) => mark in input) ||
      extensions.split(',').some((uri) => uri.trim() === PUBLIC_EXTENSION_URI),
    async markOfTaskAsked({ skill, input: { task_id } }, caller) {
      if (skill !== 'get_task_status' || typeof task_id !== 'string') return undefined;
      const spoken = (await ownTask(runtime, caller, TaskId.parse(task_id)))?.spoken;
      return spoken && { adcp_version: spoken.alias ?? spoken.release };
    },
    answer: (call) => answerCall(given, call),
    discovery: given.discovery,
    discover: (call) => answerAnybody(given, call),
    needsCredential: (request) => needsCredential(request, releases),
    refused: (error, request) => refusedAnswer(error, request, releases),
    shown: async (run, caller) => (run.spoken === undefined ? undefined : answerOf(given, run, { caller })),
    head: (run) => (run.spoken === undefined ? undefined : bareAnswer(run)),
    standing: (run, caller) => answerOf(given, run, { caller }),
  };
}

/** Fields that no request in our own words has. */
const MARKS = ['adcp_version', 'adcp_major_version', 'account'];

export type { DiscoveryAnswer, PublicAnswer, PublicCall };
