import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { keepAccount } from '../../../sales/account/account.ts';
import type { BuyerAccount } from '../../../sales/account/account.ts';
import { GovernanceAgents } from '../../../sales/account/governance.ts';
import type { SyncGovernanceResponse } from '../../../tasks/sync-governance/task.ts';
import { accountFor, keyOf } from '../accounts.ts';
import { EnvelopeFields } from '../envelope.ts';
import { publicError } from '../errors.ts';
import { publicGovernance } from '../governance.ts';
import { AccountRef } from '../refs.ts';
import type { TranslatorSources } from '../sources.ts';
import { translator } from '../translator.ts';
import type { Translating, Translator } from '../translator.ts';

/** How an agent would be called is read by nobody: nothing here calls one, and a secret that is not kept cannot be lost. */
const AdcpGovernanceAgent = z.looseObject({
  url: z.string().max(2048),
  categories: z.array(z.string().max(64)).max(20).optional(),
});

const AdcpSyncGovernanceRequest = z.looseObject({
  ...EnvelopeFields.shape,
  accounts: z
    .array(
      z.looseObject({
        account: AccountRef,
        governance_agents: z.array(AdcpGovernanceAgent).min(1, 'send at least one agent').max(10, 'send at most 10'),
      }),
    )
    .min(1, 'send at least one account')
    .max(100, 'send at most 100 accounts'),
});
type AdcpSyncGovernanceRequest = z.infer<typeof AdcpSyncGovernanceRequest>;
type Row = AdcpSyncGovernanceRequest['accounts'][number];

/** Keeps whom a buyer names to judge what is bought under accounts; what is wrong with one never stops the others. */
export function adcpSyncGovernance(sources: TranslatorSources): Translator {
  return translator<AdcpSyncGovernanceRequest>({
    skill: 'sync_governance',
    task: 'sync_governance',
    title: 'Sync governance',
    description:
      'Keeps which governance agents judge what is bought under an account. They are kept to be told: none is asked before anything is booked.',
    tags: ['accounts'],
    mutates: true,
    examples: [],
    input: AdcpSyncGovernanceRequest,
    async in({ accounts }, context) {
      const rows: RowAsked[] = [];
      const taken = new Map<string, BuyerAccount>();
      for (const [i, row] of accounts.entries()) {
        const asked = await rowAsked(sources, { row, at: `accounts[${i}]`, taken }, context);
        rows.push(asked);
      }
      return {
        input: { accounts: rows.flatMap(({ input }) => input ?? []) },
        async beforehand() {
          for (const account of taken.values()) await keepAccount(sources.accounts, account);
        },
        extra: { rows: rows.map(({ input: _input, ...told }) => told) },
      };
    },
    out(result, { extra, release }) {
      const synced = [...(result as unknown as SyncGovernanceResponse).accounts];
      return {
        accounts: (extra['rows'] as ToldRow[]).map(({ account, error }) => {
          if (error !== undefined) return { account, status: 'failed', errors: [error] };
          const row = synced.shift();
          if (row?.status === 'synced')
            return { account, status: 'synced', ...publicGovernance(row.governance_agents, release) };
          const message = 'account: no account of yours is this';
          return { account, status: 'failed', errors: [{ code: 'ACCOUNT_NOT_FOUND', message, recovery: 'terminal' }] };
        }),
      };
    },
  });
}

/** What its answer needs of a row: how it named its account, and what is wrong with it. */
interface ToldRow {
  account: JsonObject;
  error?: JsonObject;
}

type RowAsked = ToldRow & { input?: JsonObject };

/** A row in our own words, or what is wrong with it. `taken`: the accounts of the rows before it, to which its own is added. */
async function rowAsked(
  sources: TranslatorSources,
  { row, at, taken }: { row: Row; at: string; taken: Map<string, BuyerAccount> },
  { caller, release }: Translating,
): Promise<RowAsked> {
  const named = accountNamed(row.account, `${at}.account`);
  try {
    const governance_agents = agentsAsked(row, at);
    const account = await accountFor(sources, caller, row.account);
    const { account_id } = account;
    if (taken.has(account_id)) throw wrong(`${at}.account`, 'send each account once');
    taken.set(account_id, account);
    return { account: named, input: { account_id, governance_agents } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { account: named, error: publicError(error.toBody(), release, { account: `${at}.account` }) };
  }
}

/** @throws {AppError} for agents that cannot be kept as they are. */
function agentsAsked({ governance_agents }: Row, at: string): JsonObject[] {
  const agents = governance_agents.map(({ url, categories }) => ({ url, ...(categories && { categories }) }));
  const [issue] = GovernanceAgents.safeParse(agents).error?.issues ?? [];
  if (issue === undefined) return agents;
  const [i, ...path] = issue.path;
  throw wrong([`${at}.governance_agents[${String(i)}]`, ...path.map(String)].join('.'), issue.message);
}

function wrong(field: string, why: string): AppError {
  return new AppError('VALIDATION_ERROR', `${field}: ${why}`, { field });
}

/** The account as it was named. @throws {AppError} for what names none: no row can tell of that. */
function accountNamed(ref: AccountRef, field: string): JsonObject {
  if (ref.account_id !== undefined) return { account_id: ref.account_id };
  const { brand_domain: domain, brand_id, operator, sandbox } = keyOf(ref, field);
  return { brand: { domain, ...(brand_id !== null && { brand_id }) }, operator, ...(sandbox && { sandbox }) };
}
