import { isDeepStrictEqual } from 'node:util';
import { BUDGET_SETTINGS } from '../../src/main/config/budget-settings.ts';
import { ConfigError } from '../../src/main/config/config-error.ts';
import { readConfig } from '../../src/main/config/config.ts';
import { SETTINGS } from '../../src/main/config/settings.ts';
import { ACCESS_SETTINGS } from '../../src/main/config/settings/access.ts';
import { AD_SERVER_SETTINGS } from '../../src/main/config/settings/ad-server.ts';
import { BILLING_SETTINGS } from '../../src/main/config/settings/billing.ts';
import { DIALECT_SETTINGS } from '../../src/main/config/settings/dialect.ts';
import { LISTENING_SETTINGS } from '../../src/main/config/settings/listening.ts';
import { LOG_SETTINGS } from '../../src/main/config/settings/log.ts';
import { OUTBOUND_SETTINGS } from '../../src/main/config/settings/outbound.ts';
import { PEOPLE_SETTINGS } from '../../src/main/config/settings/people.ts';
import { SECRET_SETTINGS } from '../../src/main/config/settings/secrets.ts';
import { STORAGE_SETTINGS } from '../../src/main/config/settings/storage.ts';
import { table } from './table.ts';

const TOPICS: readonly (readonly [title: string, settings: object])[] = [
  ['Where it listens', LISTENING_SETTINGS],
  ['Where it keeps things', STORAGE_SETTINGS],
  ['What it is called in the protocol', DIALECT_SETTINGS],
  ['Whom it calls', OUTBOUND_SETTINGS],
  ['Who may call', ACCESS_SETTINGS],
  ['Memberships', BILLING_SETTINGS],
  ['Secrets and keys', SECRET_SETTINGS],
  ['People at the seller', PEOPLE_SETTINGS],
  ['Selling, and the ad server', AD_SERVER_SETTINGS],
  ['Budgets of who calls', BUDGET_SETTINGS],
  ['What it writes down', LOG_SETTINGS],
];

/** `docs/settings.md`: every setting, by topic. */
export function settingsPaper(): string {
  const told = TOPICS.flatMap(([, settings]) => Object.keys(settings));
  const untold = Object.keys(SETTINGS).filter((name) => !told.includes(name));
  if (untold.length > 0) throw new Error(`scripts/references/settings.ts has no topic for ${untold.join(', ')}`);
  const parts = TOPICS.map(([title, settings]) => {
    const names = Object.keys(settings) as (keyof typeof SETTINGS)[];
    const rows = names.map((name) => {
      const { doc, example } = SETTINGS[name];
      return [`\`${name}\``, doc, `\`${example}\`${isDefault(name, example) ? ', the default' : ''}`];
    });
    return `## ${title}\n\n${table(['setting', 'says', 'such as'], rows)}`;
  });
  return `# Settings

They stand in the environment, or in \`.env\` where the agent is started (\`.env.example\` has all of them, commented out); the environment comes
first, and an empty value is none. Mistakes are told all at once, by name, and nothing starts.
\`media-buy-agent settings\` and the console's page Settings say what an agent was told; secrets are shown by neither. Written by
\`npx tsx scripts/write-references.ts\` from \`src/main/config/settings.ts\`.

${parts.join('\n')}`;
}

/** Whether an agent that is told so is what it is untold. */
function isDefault(name: string, example: string): boolean {
  const untold = readConfig({}, { allowLoopback: false });
  try {
    // What was told is in it, too.
    const told = { ...readConfig({ [name]: example }, { allowLoopback: false }), shown: untold.shown };
    return isDeepStrictEqual(told, untold);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
