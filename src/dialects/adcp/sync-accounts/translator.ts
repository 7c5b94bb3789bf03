import { z } from 'zod';
import { AppError, invalidRequest } from '../../../platform/errors.ts';
import type { ErrorBody } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { AccountKey, BuyerAccount } from '../../../sales/account/account.ts';
import { SyncAccountsRequest } from '../../../tasks/sync-accounts/task.ts';
import type { SyncAccountsResponse } from '../../../tasks/sync-accounts/task.ts';
import type { NotificationConfig } from '../../../webhooks/subscription/notification-config.ts';
import { subscribersView } from '../../../webhooks/subscription/subscription.ts';
import { accountIdOfRef, keyOf, NO_SANDBOX, publicAccount, refuseOtherKeys } from '../accounts.ts';
import { EnvelopeFields } from '../envelope.ts';
import { publicError } from '../errors.ts';
import { AccountRef, BrandRef } from '../refs.ts';
import type { Release } from '../release.ts';
import type { TranslatorSources } from '../sources.ts';
import { translator } from '../translator.ts';
import type { Translating, Translator } from '../translator.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { publicSubscribers, subscribersAsked } from './subscribers.ts';

const AdcpAccount = z.looseObject({
  account: AccountRef.optional(),
  brand: BrandRef.optional(),
  operator: z.string().max(253).optional(),
  billing: z.string().max(64).optional(),
  sandbox: z.boolean().optional(),
});
type AdcpAccount = z.infer<typeof AdcpAccount>;

const AdcpSyncAccountsRequest = z.looseObject({
  ...EnvelopeFields.shape,
  accounts: z.array(AdcpAccount).max(1000, 'send at most 1000 accounts'),
  dry_run: z.boolean().optional(),
  delete_missing: z.boolean().optional(),
});
type AdcpSyncAccountsRequest = z.infer<typeof AdcpSyncAccountsRequest>;

/** Opens accounts for brands and who acts for them; what is wrong with one never stops the others. */
export function adcpSyncAccounts(sources: TranslatorSources): Translator {
  return translator<AdcpSyncAccountsRequest>({
    skill: 'sync_accounts',
    task: 'sync_accounts',
    title: 'Sync accounts',
    description:
      'Opens an account for each brand and operator that has none, and sets which webhooks hear of an account and its creatives. The seller bills the operator.',
    tags: ['accounts'],
    mutates: true,
    examples: [],
    input: AdcpSyncAccountsRequest,
    async in(request, context) {
      refuseUnsupported(request, { delete_missing: 'accounts are closed by the seller; ask them' });
      const named = await accountsNamed(sources, request.accounts, context);
      const rows = request.accounts.map((asked, i) => rowAsked(sources, asked, i, { named, release: context.release }));
      return {
        input: {
          accounts: rows.flatMap(({ input }) => input ?? []),
          ...(request.dry_run !== undefined && { dry_run: request.dry_run }),
        },
        extra: { rows: rows.map(({ input: _input, ...told }) => told) },
      };
    },
    out(result, { extra, release }) {
      const { accounts, dry_run } = result as unknown as SyncAccountsResponse;
      const synced = [...accounts];
      const rows = extra['rows'] as Omit<RowAsked, 'input'>[];
      return {
        ...(dry_run && { dry_run }),
        accounts: rows.map(({ known, failed, warnings = [] }, i) => {
          const told = failed ?? known ?? rowOf(synced.shift(), i, release);
          return warnings.length === 0 ? told : { ...told, warnings };
        }),
      };
    },
  });
}

function rowOf(account: SyncAccountsResponse['accounts'][number] | undefined, i: number, release: Release): JsonObject {
  if (account === undefined) throw new Error('an account that was synced is not told');
  const { action, error, notification_configs } = account;
  const told = { ...publicAccount(account), ...publicSubscribers(notification_configs, release), action };
  if (error === undefined) return told;
  const at = (text: string) => text.replace(/^notification_configs\b/, `accounts[${i}].notification_configs`);
  const { code, message, field, ...more } = error as ErrorBody;
  const body = { code, message: at(message), ...(field !== undefined && { field: at(field) }), ...more };
  return {
    ...told,
    ...(account.account_id === undefined && { status: 'rejected' }),
    errors: [publicError(body, release)],
  };
}

/** One of the accounts asked for: what is to be synced, or what is known or wrong without that. */
interface RowAsked {
  input?: AccountKey & { notification_configs?: NotificationConfig[] };
  known?: JsonObject;
  failed?: JsonObject;
  warnings?: string[];
}

/** The caller's own accounts among those that rows name, each by its place. @throws {AppError} for a row that names none. */
async function accountsNamed(
  { accounts }: TranslatorSources,
  asked: readonly AdcpAccount[],
  { caller: { organization_id } }: Translating,
): Promise<ReadonlyMap<number, BuyerAccount>> {
  const ids = asked.flatMap(({ account }, i): (readonly [number, string])[] =>
    account === undefined || otherKey(account, `accounts[${i}].account.`)
      ? []
      : [[i, accountIdOfRef(organization_id, account, `accounts[${i}].account`)]],
  );
  const rows = await accounts.getMany([...new Set(ids.map(([, account_id]) => account_id))]);
  const own = new Map(rows.map((row) => [row.account_id, row]));
  return new Map(
    ids.flatMap(([i, account_id]) => {
      const account = own.get(account_id);
      return account?.organization_id === organization_id ? [[i, account] as const] : [];
    }),
  );
}

function rowAsked(
  sources: TranslatorSources,
  asked: AdcpAccount,
  i: number,
  { named, release }: { named: ReadonlyMap<number, BuyerAccount>; release: Release },
): RowAsked {
  const at = `accounts[${i}]`;
  const failed = (error: JsonObject): RowAsked => ({ failed: failedRow(asked, error) });
  const { account, brand, operator, billing, sandbox } = asked;
  const other = otherKey(account ?? asked, account === undefined ? `${at}.` : `${at}.account.`);
  if (other !== undefined) return failed(other);
  const heard = asRow(() => subscribersAsked(asked['notification_configs'], at, { ...sources, release }), release);
  if ('wrong' in heard) return failed(heard.wrong);
  const more = { ...(heard.value && { notification_configs: heard.value }) };
  if (account !== undefined) {
    const known = named.get(i);
    if (known !== undefined && heard.value !== undefined) {
      const { brand_domain, brand_id, operator: by, sandbox: isSandbox } = known;
      return { input: { brand_domain, brand_id, operator: by, sandbox: isSandbox, ...more } };
    }
    if (known !== undefined) {
      const told = { ...publicAccount(known), ...publicSubscribers(subscribersView(known), release) };
      return { known: { ...told, action: 'unchanged' } };
    }
    const field = `${at}.account`;
    const message = `${field}: no account of yours is this`;
    return failed({ code: 'ACCOUNT_NOT_FOUND', message, field, recovery: 'terminal' });
  }
  if (brand === undefined || operator === undefined)
    throw invalidRequest(`${at}.brand`, 'send brand, operator and billing');
  if (billing !== 'operator') {
    const field = `${at}.billing`;
    const message = `${field}: the seller bills the operator; send operator`;
    return failed({ code: 'BILLING_NOT_SUPPORTED', message, field, recovery: 'correctable' });
  }
  if (sandbox === true && !sources.isSimulated) {
    const field = `${at}.sandbox`;
    return failed({ code: 'UNSUPPORTED_FEATURE', message: `${field}: ${NO_SANDBOX}`, field, recovery: 'correctable' });
  }
  const input = keyOf({ brand, operator, ...(sandbox !== undefined && { sandbox }) });
  const [issue] = SyncAccountsRequest.shape.accounts.element.safeParse(input).error?.issues ?? [];
  if (issue !== undefined && issue.path[0] !== 'operator') {
    // No row can tell of a brand that has no domain.
    throw new AppError('VALIDATION_ERROR', `${at}.brand.domain: ${issue.message}`, { field: `${at}.brand.domain` });
  }
  if (issue !== undefined) {
    const field = `${at}.operator`;
    return failed({ code: 'VALIDATION_ERROR', message: `${field}: ${issue.message}`, field, recovery: 'correctable' });
  }
  return {
    input: { ...input, ...more },
    ...(asked['payment_terms'] !== undefined && { warnings: ['payment_terms are agreed with the seller, not here'] }),
  };
}

/** What a row says, or its refusal in public words. */
function asRow<T>(read: () => T, release: Release): { value: T } | { wrong: JsonObject } {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { wrong: publicError(error.toBody(), release) };
  }
}

/** What is wrong with a row that tells accounts apart by what they are not known by here. */
function otherKey(named: AccountRef, at: string): JsonObject | undefined {
  try {
    refuseOtherKeys(named, at);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, field, recovery } = error.toBody();
    return { code, message, field, recovery };
  }
}

/** Nothing was opened: a brand without an account is told as one that is not. */
function failedRow({ brand, operator = '', account }: AdcpAccount, error: JsonObject): JsonObject {
  const named = account?.account_id === undefined ? {} : { account_id: account.account_id };
  return {
    ...{
      ...named,
      brand: brand ?? account?.brand ?? { domain: 'unknown.invalid' },
      operator: operator || (account?.operator ?? ''),
    },
    ...{ action: 'failed', status: 'rejected', errors: [error] },
  };
}
