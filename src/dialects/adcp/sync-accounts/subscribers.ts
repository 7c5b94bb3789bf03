import { AppError } from '../../../platform/errors.ts';
import type { ErrorCode } from '../../../platform/errors.ts';
import { fieldPath } from '../../../platform/field-path.ts';
import { isObject } from '../../../platform/json-object.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { AccountEvent, NotificationConfigs } from '../../../webhooks/subscription/notification-config.ts';
import type { NotificationConfig, NotificationConfigView } from '../../../webhooks/subscription/notification-config.ts';
import { isFrom } from '../release.ts';
import type { Release } from '../release.ts';
import type { TranslatorSources } from '../sources.ts';

/** The first release that has a word for what is told of accounts. */
const SINCE: Readonly<Record<AccountEvent, Release>> = {
  'creative.status_changed': '3.1',
  'account.status_changed': '3.2',
};

/** What is of accounts in the protocol and never told here, and why. */
const NEVER_TOLD: Readonly<Record<string, string>> = {
  'creative.purged': 'creatives are never purged here',
  'creative.assignment_changed': 'assignments are read by get_media_buys',
  'indicators.changed': 'media buys have no indicators here',
  'account.change_recorded': 'there is no feed of changes of accounts here',
};
const NEVER_TOLD_KINDS = /^(?:product|signal|wholesale_feed|reporting)\./;

/** What is told of accounts in a release. Pure. */
export function accountEventsIn(release: Release): AccountEvent[] {
  return AccountEvent.options.filter((event) => isFrom(release, SINCE[event]));
}

/**
 * `notification_configs` of an account in our own words; undefined where they are left out.
 * @param at where its row stands.
 * @throws {AppError} `UNSUPPORTED_FEATURE`, `VALIDATION_ERROR` or what an address is refused by, with the public field.
 */
export function subscribersAsked(
  asked: unknown,
  at: string,
  { release, checkWebhook }: Pick<TranslatorSources, 'checkWebhook'> & { release: Release },
): NotificationConfig[] | undefined {
  const field = `${at}.notification_configs`;
  if (asked === undefined || asked === null) return undefined;
  if (!Array.isArray(asked)) throw wrong(field, 'send a list, or leave it out');
  if (release === '3.0') {
    if (asked.length === 0) return undefined;
    throw wrong(field, 'release 3.0 has none; name adcp_version 3.1 or later', 'UNSUPPORTED_FEATURE');
  }
  const configs = asked.map((config: unknown, i) => configAsked(config, `${field}[${i}]`, release));
  const parsed = NotificationConfigs.safeParse(configs);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(`${field}${fieldPath(issue?.path ?? [])}`, issue?.message ?? 'this is none');
  }
  for (const [i, config] of parsed.data.entries()) checkWebhook(config, `${field}[${i}]`);
  return parsed.data;
}

/** What is read of one; that it fits besides is judged by our own schema. */
function configAsked(config: unknown, field: string, release: Release): unknown {
  if (!isObject(config)) return config;
  const { subscriber_id, url, event_types, authentication, active } = config;
  if (Array.isArray(event_types))
    for (const [i, event] of event_types.entries()) checkEvent(event, `${field}.event_types[${i}]`, release);
  return {
    ...{ subscriber_id, url, event_types },
    ...(authentication !== undefined && authentication !== null && { authentication }),
    ...(active !== undefined && active !== null && { active }),
  };
}

function checkEvent(event: unknown, field: string, release: Release): void {
  const told = accountEventsIn(release);
  if (told.some((one) => one === event)) return;
  const name = String(event).slice(0, 64);
  const why = NEVER_TOLD[name] ?? (NEVER_TOLD_KINDS.test(name) ? 'nothing of that kind is told here' : undefined);
  const instead = `; of accounts this seller tells ${told.join(' and ')}`;
  if (why !== undefined) throw wrong(field, `${name}: ${why}${instead}`, 'UNSUPPORTED_FEATURE');
  throw wrong(field, `${name} is no event of accounts in release ${release}${instead}`);
}

function wrong(field: string, why: string, code: ErrorCode = 'VALIDATION_ERROR'): AppError {
  return new AppError(code, `${field}: ${why}`, { field });
}

/** Who hears of an account, as far as the release has words for it. Pure. */
export function publicSubscribers(views: readonly NotificationConfigView[] | undefined, release: Release): JsonObject {
  if (views === undefined || release === '3.0') return {};
  const known: readonly string[] = accountEventsIn(release);
  const notification_configs = views
    .map((view) => ({ ...view, event_types: view.event_types.filter((event) => known.includes(event)) }))
    .filter(({ event_types }) => event_types.length > 0);
  return { notification_configs };
}
