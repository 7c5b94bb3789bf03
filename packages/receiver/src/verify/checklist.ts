import { bodyUnambiguous, digestMatches, nonceRecorded, nonceUnseen, signatureGood } from './checks-of-content.ts';
import {
  algAllowed,
  componentsComplete,
  headersParse,
  paramsComplete,
  tagMatches,
  windowValid,
} from './checks-of-headers.ts';
import { keyInGoodStanding, keyKnown, keyPurposeFits } from './checks-of-key.ts';
import type { Check } from './verification.ts';

/**
 * The fourteen steps in their order (rules C.webhook.signatures.6, W12); the first that fails decides. Cheap
 * ones come before cryptography, and the nonce is spent before the body is looked at, so no frame is worth sending twice.
 */
export const CHECKLIST: readonly Check[] = [
  headersParse,
  paramsComplete,
  tagMatches,
  algAllowed,
  windowValid,
  componentsComplete,
  keyKnown,
  keyPurposeFits,
  keyInGoodStanding,
  signatureGood,
  digestMatches,
  nonceUnseen,
  nonceRecorded,
  bodyUnambiguous,
];
