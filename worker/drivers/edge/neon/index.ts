/** Edge driver of kind `postgres`: PostgreSQL at Neon by its HTTP endpoint, through the vendor's driver. */

import type { PostgresRequest } from '../../../../kinds/postgres/index.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { LateSession } from '../sql/late-session.ts';
import { isNeon, neonSettings } from './settings.ts';

/** Sessions to Neon: it has transactions, but neither streams nor sessions of a caller's own. Contract §6, "Edge or relay". */
export const neon: EdgeDriver<PostgresRequest, LateSession<PostgresRequest>> = {
  vendor: 'Neon',
  serves: isNeon,
  open(envelope: ConnectionEnvelope, host: EdgeHost) {
    // Read here too, so that what is wrong with it is told before anything is loaded.
    neonSettings(envelope.connection);
    return new LateSession<PostgresRequest>(async () => {
      const [{ neonSession }, { loadParser }] = await Promise.all([
        import('./session.ts'),
        import('./parser.ts'),
      ]);
      await loadParser();
      return neonSession(envelope, host);
    });
  },
};
