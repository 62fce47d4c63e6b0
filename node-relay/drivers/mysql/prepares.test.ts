/** XA transactions on a real MariaDB that is killed and started again. */
import { describePrepares } from '../contract-prepares.ts';
import { mysqlPrepares } from './test/prepares.ts';

describePrepares(...mysqlPrepares);
