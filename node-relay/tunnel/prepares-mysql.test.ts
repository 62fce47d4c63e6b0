/** The suite of drivers that prepare, of kind mysql, through a tunnel. */
import { describePrepares } from '../drivers/contract-prepares.ts';
import { mysqlPrepares } from '../drivers/mysql/test/prepares.ts';
import { preparesThroughTunnel } from './test/driver.ts';

describePrepares(...preparesThroughTunnel('mysql', mysqlPrepares));
