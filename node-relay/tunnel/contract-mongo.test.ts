/** The suite of every driver, of kind mongo, through a tunnel. */
import { describeDriver } from '../drivers/contract.ts';
import { mongoContract } from '../drivers/mongo/contract-case.ts';
import { throughTunnel } from './test/driver.ts';

describeDriver(...throughTunnel('mongo', mongoContract));
