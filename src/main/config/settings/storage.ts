import { z } from 'zod';
import { text, url, wholeNumber } from '../setting-values.ts';
import { setting } from './setting.ts';

/** Where things are kept, and the name that what is told of them bears. */
export const STORAGE_SETTINGS = {
  DATA_DIR: setting(
    z.string(),
    './data',
    'folder of the embedded store, its secret and the private Redis, for this account alone',
  ),
  MONGODB_URL: setting(
    // The driver reads the rest: a URL with several hosts, as of a replica set, is none for the URL parser.
    text(/^mongodb(\+srv)?:\/\/[^\s/?#]+([/?][^\s#]*)?$/, 'must be a mongodb:// or mongodb+srv:// URL'),
    'mongodb://127.0.0.1:27017/media_buy_agent',
    'MongoDB to keep everything in; default: the embedded store',
  ),
  REDIS_URL: setting(
    url(['redis:', 'rediss:', 'unix:'], 'a redis://, rediss:// or unix:// URL'),
    'redis://127.0.0.1:6379',
    'Redis for the queues; default: a private one in DATA_DIR',
  ),
  FEED_RETENTION_DAYS: setting(
    wholeNumber(1, 36_500),
    '90',
    "days that events of the registry's feed are kept; whoever was away longer starts from its snapshot",
  ),
  FEED_RETENTION_EVENTS: setting(
    wholeNumber(1_000, 999_999_999),
    '1000000',
    'how many of them are kept at most, the newest',
  ),
  PROTOCOL_NAME: setting(
    text(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9 and -, beginning with a letter'),
    'proto',
    "the protocol's name, from which header, tag and key-field names derive; adcp for the public ecosystem",
  ),
};
