/** Edge driver of kind `mysql`: MySQL at PlanetScale by its HTTP interface, through the vendor's driver. */

import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { LateClient } from '../sql/late-client.ts';
import { isPlanetScale, planetScaleSettings } from './settings.ts';

/** Clients of PlanetScale: it has transactions, but neither streams nor leases. Contract §6, "Edge or relay". */
export const planetscale: EdgeDriver<MysqlRequest, LateClient<MysqlRequest>> = {
  vendor: 'PlanetScale',
  serves: isPlanetScale,
  open(envelope: ConnectionEnvelope, host: EdgeHost) {
    // Read here too, so that what is wrong with it is told before anything is loaded.
    planetScaleSettings(envelope.connection);
    return new LateClient<MysqlRequest>(async () => {
      const { planetScaleClient } = await import('./client.ts');
      return planetScaleClient(envelope, host);
    });
  },
};
