import type { z } from 'zod';
import { BUDGET_SETTINGS } from './budget-settings.ts';
import { ACCESS_SETTINGS } from './settings/access.ts';
import { AD_SERVER_SETTINGS } from './settings/ad-server.ts';
import { BILLING_SETTINGS } from './settings/billing.ts';
import { DIALECT_SETTINGS } from './settings/dialect.ts';
import { LISTENING_SETTINGS } from './settings/listening.ts';
import { LOG_SETTINGS } from './settings/log.ts';
import { OUTBOUND_SETTINGS } from './settings/outbound.ts';
import { PEOPLE_SETTINGS } from './settings/people.ts';
import { SECRET_SETTINGS } from './settings/secrets.ts';
import { STORAGE_SETTINGS } from './settings/storage.ts';
import type { EnvironmentSetting } from './settings/setting.ts';

/**
 * Every setting, in the order of `.env.example`. The environment is read here and nowhere else; an empty value counts as
 * not set.
 */
export const SETTINGS = {
  ...LISTENING_SETTINGS,
  ...STORAGE_SETTINGS,
  ...DIALECT_SETTINGS,
  ...OUTBOUND_SETTINGS,
  ...ACCESS_SETTINGS,
  ...BILLING_SETTINGS,
  ...SECRET_SETTINGS,
  ...PEOPLE_SETTINGS,
  ...AD_SERVER_SETTINGS,
  ...BUDGET_SETTINGS,
  ...LOG_SETTINGS,
} satisfies Record<string, EnvironmentSetting<unknown>>;

/** The settings by name, parsed; absent where not set. */
export type Settings = { [Name in keyof typeof SETTINGS]: z.infer<(typeof SETTINGS)[Name]['schema']> };
