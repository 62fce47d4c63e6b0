/** Edge driver of kind `postgres`: PostgreSQL at Neon by its HTTP endpoint, through the vendor's driver. */

import type { PostgresRequest } from '../../../../kinds/postgres/index.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { LateClient } from '../sql/late-client.ts';
import { isNeon, neonSettings } from './settings.ts';

/** Clients of Neon: it has transactions, but neither streams nor leases. Contract §6, "Edge or relay". */
export const neon: EdgeDriver<PostgresRequest, LateClient<PostgresRequest>> = {
  vendor: 'Neon',
  serves: isNeon,
  open(envelope: ConnectionEnvelope, host: EdgeHost) {
    // Read here too, so that what is wrong with it is told before anything is loaded.
    neonSettings(envelope.connection);
    return new LateClient<PostgresRequest>(async () => {
      const [{ neonClient }, { loadParser }] = await Promise.all([
        import('./client.ts'),
        import('./parser.ts'),
      ]);
      await loadParser();
      return neonClient(envelope, host);
    });
  },
};
