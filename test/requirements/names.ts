import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const NAMES = 'Names';

export const NAME_RULES: readonly Requirement[] = [
  proved(
    'N1',
    NAMES,
    "One setting, `PROTOCOL_NAME` (`proto` unless set; `adcp` for the public ecosystem), is the protocol's name `{p}`. The signature tag `{p}/webhook-signing/v1`, the key field `{p}_use`, the headers `X-{P}-Signature` and `X-{P}-Timestamp`, the badge field `{p}_version` and the extension of the agent card derive from it in one file; nothing else spells it.",
  ),
  proved(
    'N1.callers',
    NAMES,
    '`PROTOCOL_NAME` is only the default: a registration records whether its caller speaks `proto` or `adcp`, and its webhooks are signed and named in that namespace.',
  ),
  proved(
    'N2',
    NAMES,
    'Data has one spelling, the snake_case of the wire, from request to database: `media_buy_id` is found everywhere by one search. Only code is camelCase.',
  ),
];
