import type { Caller } from '../directory/caller.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { AppError } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { Logger } from '../platform/log.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import type { RuntimeDependencies } from '../runtime/dependencies.ts';
import { ANSWER_WAIT_MS } from '../runtime/follow.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import { answerOf } from './adcp/answers.ts';
import type { PublicAnswer } from './adcp/answers.ts';
import { answerCall, refusedAnswer } from './adcp/call.ts';
import { answerAnybody, discoverable } from './adcp/discovery.ts';
import type { DiscoveryAnswer, DiscoveryCall, DiscoveryLevel } from './adcp/discovery.ts';
import type { PublicCall } from './adcp/call.ts';
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
  answer(call: PublicCall): Promise<PublicAnswer>;
  /** What is answered to anybody, without a credential; see {@link discover}. */
  readonly discovery: ReadonlySet<string>;
  /** See `answerAnybody`. @throws {AppError} `UNAUTHORIZED` for what is none of these. */
  discover(call: DiscoveryCall): Promise<DiscoveryAnswer>;
  /** A refusal that left no task as the body of an answer, for wires that have no form of their own for what {@link answer} throws. */
  refused(error: AppError, request: JsonObject): JsonObject;
  /** A task that was asked for in the public dialect, as it stands; undefined for one that was not. */
  shown(run: TaskRun, caller: Caller): Promise<PublicAnswer | undefined>;
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
}

/** The extension of A2A whose callers speak the public dialect. */
export const PUBLIC_EXTENSION_URI = 'https://adcontextprotocol.org/extensions/adcp/v3';

/** Puts events of runs that were asked for in the public dialect into its words; see `RuntimeDependencies.present`. */
export function eventPresenter(
  sources: TranslatorSources & { log: Logger; runtime: () => Pick<Runtime, 'peek' | 'read'> },
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
  const { runtime, clock, ids, security, releases } = deps;
  const skills = publicSkillsOf(deps);
  const translators = new Map(translatorsFor(deps).map((one) => [one.skill, one]));
  const given = {
    runtime,
    security,
    translators,
    releases,
    discovery: discoverable(deps.discovery),
    waitMs: ANSWER_WAIT_MS,
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
    answer: (call) => answerCall(given, call),
    discovery: given.discovery,
    discover: (call) => answerAnybody(given, call),
    refused: (error, request) => refusedAnswer(error, request, releases),
    shown: async (run, caller) => (run.spoken === undefined ? undefined : answerOf(given, run, { caller })),
    standing: (run, caller) => answerOf(given, run, { caller }),
  };
}

/** Fields that no request in our own words has. */
const MARKS = ['adcp_version', 'adcp_major_version', 'account'];

export type { DiscoveryAnswer, PublicAnswer, PublicCall };
