import { z } from 'zod';
import { isObject } from '../../../platform/json-object.ts';
import { keyOf } from '../accounts.ts';
import { EnvelopeFields } from '../envelope.ts';
import { AccountRef } from '../refs.ts';
import { isFrom } from '../release.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';

const AdcpTestRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef.optional(),
  scenario: z.string().max(128),
  params: z.record(z.string(), z.unknown()).optional(),
});
type AdcpTestRequest = z.infer<typeof AdcpTestRequest>;

/** From 3.1 on a test says that it is under a sandbox account, whether or not it names one; the controller refuses by answers of its own. */
const NAMELESS = {
  input: { scenario: 'list_scenarios' },
  extra: {
    refused: { error: 'INVALID_PARAMS', error_detail: 'account: send the sandbox account, or { sandbox: true }' },
  },
};

/** Brings about what tests of the protocol want; listed only where the settings ask for it. */
export function adcpComplyTestController(): Translator {
  return translator<AdcpTestRequest>({
    skill: 'comply_test_controller',
    task: 'comply_test_controller',
    title: 'Test controller',
    description: 'Forces states and delivery for tests, in sandbox accounts alone.',
    tags: ['testing'],
    mutates: false,
    changesWithoutKey: true,
    examples: [{ adcp_version: '3.1', account: { sandbox: true }, scenario: 'list_scenarios' }],
    input: AdcpTestRequest,
    in({ account, scenario, params }, { release }) {
      if (account === undefined && isFrom(release, '3.1')) return NAMELESS;
      const told = { scenario, ...(params !== undefined && { params }) };
      if (account?.account_id !== undefined) return { input: { ...told, account_id: account.account_id } };
      if (account?.brand === undefined) return { input: told };
      return { input: { ...told, account_key: keyOf(account) } };
    },
    out: (result, { extra }) => (isObject(extra['refused']) ? { success: false, ...extra['refused'] } : result),
  });
}
