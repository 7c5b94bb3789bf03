import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const D = 'decisions';

/** What was settled where the contract is silent. */
export const DECISIONS: readonly Requirement[] = [
  proved('N1', D, 'every name that holds the protocol’s name comes from PROTOCOL_NAME, in one file'),
  proved('N2', D, 'data has the contract’s snake_case spelling from the wire to the store'),

  proved('T1', D, 'a task moves only along the legal moves, and its first terminal state is frozen'),
  proved(
    'T2',
    D,
    'get and list tasks answer inline; create_media_buy is queued and notifies; a refusal has no task id',
  ),
  proved(
    'T3',
    D,
    'a seller’s approval leaves the task submitted or working and the buy pending; working tells progress',
  ),
  proved('T4', D, 'tasks are polled by A2A and by get_task_status and list_tasks'),
  proved('T5', D, 'what belongs to another caller answers exactly as an unknown id'),

  proved('B1', D, 'a buy is pending (and says why), active, paused, completed, canceled or rejected, nothing else'),
  proved('B2', D, 'a buy moves by one table, counts its revision, and refuses stale and terminal updates'),
  proved('B3', D, 'budgets are decimals on the wire and integer minor units inside, without float arithmetic'),
  proved(
    'B4',
    D,
    'cpm and flat-fee need a price, cpm-auction a floor that the bid reaches; public spellings are read too',
  ),
  proved('B5', D, 'start_time is an object or a string, dates have an offset, and the end comes after the start'),
  proved('B6', D, 'update_media_buy takes the listed updates, refuses others by name, and tells what it affected'),
  proved(
    'B7',
    D,
    'one key and one request give one answer; another request under the key conflicts; buyer_ref is unique',
  ),
  proved('B8', D, 'lists page by limit and cursor; has_more and cursor come together'),
  proved('B9', D, 'get_media_buys filters, and shows packages, history, impairments, health and, when asked, activity'),
  proved('B10', D, 'delivery rows, packages and timeseries add up exactly; other granularities are refused'),
  proved('B11', D, 'sync_creatives plans per creative, never stops at a bad one, and guards what serves'),
  proved('B12', D, 'errors have one body and one closed list of codes, mapped on every wire'),
  proved('B13', D, 'unknown ids answer 404 with their own code and the path into the request'),

  proved('W1', D, 'the envelope has the listed fields, and every attempt of an event sends the same frozen bytes'),
  proved('W2', D, 'a registration without operation_id is refused with INVALID_REQUEST and the field'),
  proved('W3', D, 'a registration on a task that never notifies is refused, and told so'),
  proved('W4', D, 'the legacy block selects legacy mode only; weak credentials are refused; secrets stay sealed'),
  proved('W5', D, 'an A2A-native registration gets the A2A envelope of its generation, and both kinds fire'),
  proved('W6', D, 'each answer of a receiver is delivered, retried, or final as listed; redirects are never followed'),
  proved(
    'W7',
    D,
    'twelve attempts over 22 h 16 min with jitter; Retry-After up to twice the step; nothing after 23 h 55 min',
  ),
  proved('W8', D, 'an attempt has 5 s to connect and 15 s in all, and reads 16 KiB of the answer'),
  proved('W9', D, 'general impairments coalesce, latency-sensitive ones go at once'),
  proved('W10', D, 'delivery reports count without gaps and know scheduled, delayed, adjusted and one final'),
  proved('W11', D, 'webhook activity holds our own classification and the URL without its query'),
  proved('W12', D, 'the verifier’s steps run in their order and stop at the first failure with its code'),
  proved('W13', D, 'tokens are sent as unpadded base64url and read in four spellings; the signature base is verbatim'),
  proved('W14', D, 'the target URI is normalized as listed before it is signed'),
  proved(
    'W15',
    D,
    'a receiver claims an event before handling it, answers duplicates 2xx, and gives back what it failed',
  ),
  proved('W16', D, 'outbound requests go only over https to public addresses, each checked as it is dialed'),

  proved('R1', D, 'one normalizer for all domains'),
  proved('R2', D, 'each input of a property check lands in exactly one bucket, in input order'),
  proved('R3', D, 'a report can be read for 7 days and then is gone'),
  proved('R4', D, 'bulk resolve answers each input as sent, null when unknown, 20 times a minute'),
  proved('R5', D, 'operator lookup by domain and scope, with no member for an unknown domain'),
  proved('R6', D, 'tiers in their order, resolved only by a living subscription'),
  proved('R7', D, 'organizations are created or adopted atomically, with the listed refusals'),
  proved('R8', D, 'join requests are made once, listed, approved and rejected'),
  proved('R9', D, 'agents are registered under the organization’s domain, which may be created on the way'),
  proved('R10', D, 'the tier changes only by a verified subscription event'),
  proved('R11', D, 'badges never give a false verdict'),
  proved('R12', D, 'discovery finds name, type and tools of an agent within 10 s'),
  proved('R13', D, 'API keys and user JWTs authenticate; a 401 says where to go'),
  proved('R14', D, 'rate limits hold across processes and are told in headers'),
  proved('R15', D, 'authorizations are crawled from adagents.json within bounds'),
];
