/** The suite of every driver, of kind postgres, through a tunnel. */
import { describeDriver } from '../drivers/contract.ts';
import { postgresContract } from '../drivers/postgres/contract-case.ts';
import { throughTunnel } from './test/driver.ts';

describeDriver(...throughTunnel('postgres', postgresContract));
