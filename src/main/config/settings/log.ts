import { z } from 'zod';
import { setting } from './setting.ts';

/** What is for sale, and what is logged. */
export const LOG_SETTINGS = {
  CATALOG_DIR: setting(z.string(), './catalog', 'folder of the products, formats and properties for sale'),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a pino level'),
    'info',
    'trace, debug, info, warn, error, fatal or silent',
  ),
  REQUEST_LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'silent'], 'must be trace, debug, info, warn or silent'),
    'debug',
    'the level at which each request is logged, by its route; so LOG_LEVEL=info shows none unless this is info',
  ),
};
