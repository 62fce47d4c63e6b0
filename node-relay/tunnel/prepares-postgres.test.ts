/** The suite of drivers that prepare, of kind postgres, through a tunnel. */
import { describePrepares } from '../drivers/contract-prepares.ts';
import { postgresPrepares } from '../drivers/postgres/test/prepares.ts';
import { preparesThroughTunnel } from './test/driver.ts';

describePrepares(...preparesThroughTunnel('postgres', postgresPrepares()));
