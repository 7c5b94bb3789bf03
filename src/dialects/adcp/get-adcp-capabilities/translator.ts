import { z } from 'zod';
import type { GetAgentCapabilitiesResponse } from '../../../tasks/get-agent-capabilities/task.ts';
import { SCENARIOS } from '../../../tasks/comply-test-controller/scenarios.ts';
import { protocolNames } from '../../../platform/protocol-name.ts';
import { HORIZON_MS } from '../../../webhooks/delivery/retry-schedule.ts';
import { BRAND_PATH } from '../../../webhooks/keys/documents.ts';
import { JWK_SHAPES, SIGNATURE_ALGS } from '#receiver/wire/algorithms';
import { publicChannels } from '../channels.ts';
import { EnvelopeFields } from '../envelope.ts';
import { PUBLIC_PRICING_MODELS } from '../pricing.ts';
import { isFrom, supportedVersions } from '../release.ts';
import type { Release } from '../release.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';

/** What 3.0 has a name for among the capabilities; there, all else is told by the controller itself. */
const NAMED_IN_3_0 = [
  'force_creative_status',
  'force_account_status',
  'force_media_buy_status',
  'force_session_status',
  'simulate_delivery',
  'simulate_budget_spend',
];

/** What the test controller can do, as far as the release has names for it. Pure. */
function scenariosIn(release: Release): string[] {
  const all = SCENARIOS.map(({ name }) => name);
  return release === '3.0' ? all.filter((name) => NAMED_IN_3_0.includes(name)) : all;
}

/** Tells what this agent can do; claims nothing that is not built. */
export function getAdcpCapabilities(sources: TranslatorSources): Translator {
  const { releases, version, catalog, baseUrl } = sources;
  return translator({
    skill: 'get_adcp_capabilities',
    task: 'get_agent_capabilities',
    title: 'Get AdCP capabilities',
    description: 'Tells which releases of AdCP this agent speaks, what it sells and how, and what it does not do.',
    tags: ['discovery'],
    mutates: false,
    examples: [{ adcp_version: '3.1' }],
    input: z.looseObject({ ...EnvelopeFields.shape, protocols: z.array(z.string().max(64)).max(32).optional() }),
    in: () => ({ input: {} }),
    async out(result, { release }) {
      const { features } = result as unknown as GetAgentCapabilitiesResponse;
      const products = [...catalog.products.values()];
      const { keys } = await sources.publishedKeys();
      return {
        adcp: {
          major_versions: [3],
          supported_versions: supportedVersions(releases),
          build_version: version,
          idempotency: { supported: true, replay_ttl_seconds: features.idempotency.replay_ttl_seconds },
        },
        supported_protocols: ['media_buy'],
        account: {
          ...{ supported_billing: ['operator'], require_operator_auth: false, account_financials: false },
          sandbox: sources.isSimulated,
          // Accounts are of no currency, and of no clock but this.
          ...(isFrom(release, '3.2') && {
            supported_account_currency_modes: ['per_media_buy'],
            timezone: { mode: 'seller_fixed', fixed_timezone: 'UTC' },
            notifications: {
              ...{ supported: true, registration_task: 'sync_accounts', read_task: 'list_accounts' },
              ...{ event_types: ['account.status_changed'], supports_webhook_activity: false },
            },
          }),
        },
        media_buy: {
          supported_pricing_models: [...PUBLIC_PRICING_MODELS],
          ...(release !== '3.0' && { buying_modes: ['brief', 'wholesale', 'refine'] }),
          ...(isFrom(release, '3.2') && { lifecycle_tools: ['list_products', 'buy_products', 'control_media_buy'] }),
          reporting_delivery_methods: ['webhook'],
          ...(isFrom(release, '3.1') && { propagation_surfaces: ['snapshot', 'webhook'] }),
          // What the simulator takes, no person looks at.
          ...(isFrom(release, '3.1') && sources.isSimulated && { creative_approval_mode: 'auto_approve' }),
          features: { inline_creative_management: true, property_list_filtering: false },
          portfolio: {
            publisher_domains: [...catalog.publisher_domains],
            primary_channels: publicChannels(products.flatMap(({ channels }) => channels)),
            primary_countries: [...new Set(products.flatMap(({ targeting }) => targeting.geo.countries))],
          },
        },
        creative: { has_creative_library: true },
        request_signing: { supported: false },
        webhook_signing: {
          ...{ supported: true, profile: protocolNames('adcp').webhookSignatureTag, legacy_hmac_fallback: true },
          delivery_retry_horizon_seconds: HORIZON_MS / 1000,
          algorithms: SIGNATURE_ALGS.filter((name) => keys.some(({ alg }) => alg === JWK_SHAPES[name].alg)),
        },
        ...(sources.tested && { compliance_testing: { scenarios: scenariosIn(release) } }),
        // Where the keys are found from; nobody may be led there in plain text.
        ...(baseUrl.startsWith('https:') && { identity: { brand_json_url: `${baseUrl}${BRAND_PATH}` } }),
      };
    },
  });
}
