import type { SetupStep } from '../../admin/operator/doctor/installation.ts';
import { hasOwnBuyer } from '../../directory/bootstrap.ts';
import { lastBackup } from '../../platform/store/backup/backup-mark.ts';
import type { Core } from '../wiring/compose.ts';

/** What is to be done once before an installation sells for real, in the order in which one would, and what of it is. */
export async function setupSteps({ config, sales, store }: Core): Promise<SetupStep[]> {
  const { isLocal, publicUrl, secretKey, metricsPort } = config;
  const [hasBuyer, backup] = await Promise.all([hasOwnBuyer(store), lastBackup(store)]);
  return [
    {
      step: 'A first buyer with a key, besides the one of the demo',
      is_done: hasBuyer,
      how: 'add one on the page of buyers and make its key there, which is shown once, with a first call',
    },
    {
      step: 'An ad server that orders go to',
      is_done: !sales.isSimulated,
      how: 'AD_SERVER and what docs/adapters.md says beside it; until then the simulated one takes them',
    },
    {
      step: 'An address that buyers reach, over https',
      is_done: !isLocal && publicUrl?.startsWith('https:') === true,
      how: 'PUBLIC_URL, with TLS in front: docs/running.md',
    },
    {
      step: 'A secret of your own',
      is_done: secretKey !== undefined,
      how: 'SECRET_KEY, kept where a copy of the data is not; replace the present one as docs/upgrading.md says',
    },
    {
      step: 'A backup',
      is_done: backup !== undefined,
      how: 'media-buy-agent backup --to FILE, each day: docs/backup.md',
    },
    { step: 'Somebody who watches', is_done: metricsPort !== undefined, how: 'METRICS_PORT, and the alerts in deploy' },
  ];
}
